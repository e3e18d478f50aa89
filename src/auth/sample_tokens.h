#pragma once
// Keys and tokens made elsewhere, and HS256 tokens made here, for tests and fuzzers.

#include <array>
#include <string>
#include <string_view>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace kefu::auth::samples {

// RFC 7515, appendices A.1 to A.3: the secret in Base64url, the public keys as PEM, the tokens.
inline constexpr std::string_view kRfcSecret =
    "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow";
inline constexpr std::string_view kRfcRsaKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJj\n"
    "NiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp+Vaw+4qPCJrcS2mJPMEz\n"
    "P1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo\n"
    "9wGzjb/7OMg0LOL+bSf63kpaSHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTB\n"
    "EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxX\n"
    "FvUK+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXp\n"
    "oQIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kRfcEcKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
    "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kRfcHs256 =
    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA"
    "6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
inline constexpr std::string_view kRfcRs256 =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9"
    "pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Q"
    "c_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARN"
    "PvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6I"
    "eYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw";
inline constexpr std::string_view kRfcEs256 =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9"
    "pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqP"
    "P3-Kg6NU1Q";

// Made by PyJWT 2.15.1 with cryptography 50.0.2 and Python 3.11.7:
//   claims = {"iss": "https://login.example.com", "aud": "kefu", "sub": "alice", "exp": 1800000000,
//             "nbf": 1700000000, "tenant": "shop", "scope": "infer openid metrics"}
//   kHs256: jwt.encode(claims, b"0123456789abcdef0123456789abcdef", "HS256")
//   kRs256: jwt.encode(claims, rsa.generate_private_key(65537, 2048), "RS256", headers={"kid": "2026-10"})
//   kEs256: jwt.encode({**claims, "aud": ["other", "kefu"], "scope": ["infer", "admin"]},
//                      ec.generate_private_key(ec.SECP256R1()), "ES256", headers={"typ": "at+jwt"})
// The keys: key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).
inline constexpr std::string_view kSecret = "0123456789abcdef0123456789abcdef";
inline constexpr std::string_view kRsaKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA9rmQhfU9g12I2nrozxgf\n"
    "p+sLeBAhNbsCJW3Bux3bVFGphgE7Zi80WnbR/fxF/8lZLUrv2MOqkHRHDYeDOkL5\n"
    "pBeIM3OvwryrNNyy0RnBNiBUszcL3a7EvRVqB3IsHRkSMt7v/FrSTfQnd3cy1tj8\n"
    "gvBit6D+oFOQxWJYh6uWCGw13r+faZ6+CwIwCIZiXBeRvFcs3hkWX0/wXGVa8L11\n"
    "LyZd/Uzn9//sEkD81LkDT5fdKVkRPCUA/a+1n+dYc2vgQgwXQWUscM3MmTUDTTf5\n"
    "ViyfSCR/dNrK82yJrvUilfxX73ChIhYrcymRG37TETHNvhgH5pDvlmzTQSA4A2rB\n"
    "AQIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kEcKey =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoq8I+dWWWBAcbHbwLHZcqwzvjlZO\n"
    "OoXAkIHvZrXiqBSoFnBif/O+ge2UFqV5CDVKZZ6GG+Nh4Ty1aunW6U5oJA==\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kHs256 =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwiYXVkIjoia2V"
    "mdSIsInN1YiI6ImFsaWNlIiwiZXhwIjoxODAwMDAwMDAwLCJuYmYiOjE3MDAwMDAwMDAsInRlbmFudCI6InNob3AiLCJzY29"
    "wZSI6ImluZmVyIG9wZW5pZCBtZXRyaWNzIn0.Yx_xMdMO7oSHFCCweDNcnpJczechoc8rJjT3A1QOC1s";
inline constexpr std::string_view kRs256 =
    "eyJhbGciOiJSUzI1NiIsImtpZCI6IjIwMjYtMTAiLCJ0eXAiOiJKV1QifQ.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wb"
    "GUuY29tIiwiYXVkIjoia2VmdSIsInN1YiI6ImFsaWNlIiwiZXhwIjoxODAwMDAwMDAwLCJuYmYiOjE3MDAwMDAwMDAsInRlb"
    "mFudCI6InNob3AiLCJzY29wZSI6ImluZmVyIG9wZW5pZCBtZXRyaWNzIn0.759-dH2bq3yrhGHiO2dmOlb0BClkpObgLbraX"
    "ss3-OUFnaoaYZr8v1uROOty6Ky1u3_9Vi44DAUFgLS6wDwF5OqT6_9yJYaQW8ak-quX9QRD0EetQ-aKnlVCu_Z2kffagdG3V"
    "1hMXkMbywFGH-yJ2uZEqy5FXzxQj-AmLzSsIu6s0vOxXlnmqomKaxTk0-lFO9oV97r-6nNRHl-eKT6XRGPaX2Blxkm6NFKwy"
    "yVCHSdf6oKU-1Y8_C1n_eljbUyMWsMZYd0lPsd19uX9Y_a4gDhUoRlrMoY6gefd6MQaKFR5Tj2ANtBfrrwfpFZPZu5tw88nH"
    "n1dQ8Eocr0nF2AwGA";
inline constexpr std::string_view kEs256 =
    "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUuY29tIiwiYXVkIjp"
    "bIm90aGVyIiwia2VmdSJdLCJzdWIiOiJhbGljZSIsImV4cCI6MTgwMDAwMDAwMCwibmJmIjoxNzAwMDAwMDAwLCJ0ZW5hbnQ"
    "iOiJzaG9wIiwic2NvcGUiOlsiaW5mZXIiLCJhZG1pbiJdfQ.w9XUhe4WIlCz50ARP_knpYMpGgddo570AqOFk6CCV2zIBf8r"
    "CHYI8PtOWkcjX1RuFcFrbtQ3mIGbb3zC3mm3gw";

// Keys that must be refused, of the same origin: rsa.generate_private_key(65537, 1024), curves SECP384R1 and
// SECP256K1.
inline constexpr std::string_view kRsa1024Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDAvwONyvOJfEueK1uMUQkDVTbi\n"
    "1BCOAVq6vLGAY+xbhlGYF4qPiFetAG+ogpP2IyKEMPwQyAZ+kTcI4TgvMDq7p3RM\n"
    "VVDGa0NVlrjq+tkN4haoMNKhJsUMKbO/zwR2Ij1lUnd4LU3864HLI19EabrsqNdV\n"
    "S/8b9A+NmFzk5hasowIDAQAB\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kP384Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE2Z22Q40kwIhnS55+oeILX8yuuwjezjsh\n"
    "VK0yqIikvcgzVlC/f5g1MFoJK9SwNwiaWIdU0suUgILTir4Tr4fTizCh0NmEgcGM\n"
    "wp3FOVoihyNWDTOA/RZVWBGEQ6M3lUD8\n"
    "-----END PUBLIC KEY-----\n";
inline constexpr std::string_view kSecp256k1Key =
    "-----BEGIN PUBLIC KEY-----\n"
    "MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEUMgF4cpGgDjH4vnMNCpjiJngSu5UKitL\n"
    "Kyt5FYr6pQT9ziAwHOhHojFQaRVZbMT0EXCXnH6KQVvTD3dLwV7lgg==\n"
    "-----END PUBLIC KEY-----\n";

inline std::string encode_base64url(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  text.resize(text.find_last_not_of('=') + 1);
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

inline std::string hmac_sha256(std::string_view message, std::string_view secret) {
  std::array<unsigned char, 32> code{};
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(message.data()), message.size(), code.data(), nullptr);
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

/// A token of any header and payload, with the HMAC of `secret`.
inline std::string hs256_token(std::string_view header, std::string_view payload,
                               std::string_view secret = kSecret) {
  const std::string signed_part = encode_base64url(header) + '.' + encode_base64url(payload);
  return signed_part + '.' + encode_base64url(hmac_sha256(signed_part, secret));
}

}  // namespace kefu::auth::samples
