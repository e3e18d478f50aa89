"""Certificates for tests: an authority and what it signs, made by openssl."""
import subprocess


def openssl(*arguments, folder):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_authority(folder, name="ca"):
    """NAME.pem and NAME.key in the folder."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            f"/CN=Test {name}", "-keyout", f"{name}.key", "-out", f"{name}.pem", folder=folder)


def sign(folder, name, authority="ca"):
    """NAME.pem and NAME.key for this machine, signed by the authority."""
    extensions = folder / f"{name}.ext"
    extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout",
            f"{name}.key", "-out", f"{name}.csr", folder=folder)
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-days", "2",
            "-CAcreateserial", "-extfile", extensions.name, "-out", f"{name}.pem", folder=folder)
