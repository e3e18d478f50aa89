#include "auth/api_key.h"

#include <gtest/gtest.h>

#include "auth/authenticator.h"

namespace kefu::auth {
namespace {

using namespace std::chrono_literals;

// printf %s shop-key | sha256sum; printf %s admin.key.x | sha256sum.
constexpr const char* kShopDigest = "44cfdcdd88354fa1412781f5a01a901c9112db33bfa8b165fbec9b618d9cf112";
constexpr const char* kAdminDigest = "dc259760fcdebdf10217d3c87ba233636e201de893a335ffac41aa0520006e94";

Authenticator two_keys() {
  Credentials credentials;
  ApiKey shop{.id = "shop-frontend", .sha256 = kShopDigest, .tenant = "shop"};
  shop.scopes.add(Scope::kInfer);
  shop.limit = RateLimit{.per_second = 200, .burst = 400};
  shop.expires = std::chrono::sys_days(2027y / 1 / 31);
  ApiKey admin{.id = "admin", .sha256 = kAdminDigest};
  admin.scopes.add(Scope::kAdmin);
  credentials.keys = {shop, admin};
  return Authenticator(std::move(credentials));
}

TEST(ApiKey, IsKnownByItsDigest) {
  const auto now = std::chrono::sys_days(2027y / 1 / 1);
  const auto shop = two_keys().authenticate("shop-key", now);
  ASSERT_TRUE(shop) << shop.error().message;
  EXPECT_EQ(shop->id, "shop-frontend");
  EXPECT_EQ(shop->tenant, "shop");
  EXPECT_TRUE(shop->scopes.contains(Scope::kInfer));
  EXPECT_FALSE(shop->scopes.contains(Scope::kAdmin));
  EXPECT_FALSE(shop->scopes.contains(Scope::kMetrics));
  EXPECT_EQ(shop->limit.value_or(RateLimit{}).burst, 400);
  const auto admin = two_keys().authenticate("admin.key.x", now);  // two dots make no JWT
  ASSERT_TRUE(admin) << admin.error().message;
  EXPECT_EQ(admin->id, "admin");
  EXPECT_EQ(admin->tenant, "");
  EXPECT_FALSE(admin->limit);
}

TEST(ApiKey, AllElseIsNotKnown) {
  for (const std::string credential :
       {"shop-ke", "shop-key ", "shop-key\n", "Shop-key", "shop-frontend", "x", kShopDigest, kAdminDigest}) {
    const auto principal = two_keys().authenticate(credential, std::chrono::sys_days(2027y / 1 / 1));
    ASSERT_FALSE(principal) << credential;
    EXPECT_EQ(principal.error().code, Code::kUnauthenticated);
    EXPECT_EQ(principal.error().message, "the key is not known");
  }
  EXPECT_FALSE(two_keys().authenticate(std::string("shop-key\0", 9), std::chrono::sys_days(2027y / 1 / 1)));
}

TEST(ApiKey, ExpiresWhenItsDayBegins) {
  const auto end = std::chrono::sys_days(2027y / 1 / 31);
  EXPECT_TRUE(two_keys().authenticate("shop-key", end - 1ns));
  const auto principal = two_keys().authenticate("shop-key", end);
  ASSERT_FALSE(principal);
  EXPECT_EQ(principal.error().message, "the key has expired");
}

}  // namespace
}  // namespace kefu::auth
