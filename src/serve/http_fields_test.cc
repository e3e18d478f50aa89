#include "serve/http_fields.h"

#include <gtest/gtest.h>

#include "serve/router.h"

namespace kefu::serve {
namespace {

TEST(HttpFields, JsonMediaType) {
  const std::pair<const char*, bool> rows[] = {
      {"application/json", true},
      {"Application/JSON", true},
      {"application/json; charset=utf-8", true},
      {"application/json;charset=\"UTF-8\"", true},
      {"application/json; foo=bar", true},
      {"application/json; charset=latin1", false},
      {"text/plain", false},
      {"application/jsonp", false},
      {"", false},
  };
  for (const auto& [field, expected] : rows) EXPECT_EQ(is_json_media_type(field), expected) << field;
}

TEST(HttpFields, AcceptsHtml) {
  const std::pair<const char*, bool> rows[] = {
      {"text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", true},
      {"application/json, TEXT/HTML ; q=0.1", true},
      {"text/html;q=0", false},
      {"text/html;q=0.000", false},
      {"*/*", false},
      {"", false},
  };
  for (const auto& [field, expected] : rows) EXPECT_EQ(accepts_html(field), expected) << field;
}

TEST(HttpFields, AcceptedPacking) {
  EXPECT_EQ(accepted_packing("gzip, deflate, br"), Packing::kGzip);
  EXPECT_EQ(accepted_packing("br;q=1, DEFLATE;q=0.5"), Packing::kZlib);
  EXPECT_EQ(accepted_packing("gzip;q=0, deflate"), Packing::kZlib);
  EXPECT_EQ(accepted_packing("identity"), std::nullopt);
  EXPECT_EQ(accepted_packing(""), std::nullopt);
}

TEST(HttpFields, MatchesEtag) {
  EXPECT_TRUE(matches_etag("\"a\"", "\"a\""));
  EXPECT_TRUE(matches_etag("\"b\", W/\"a\"", "\"a\""));
  EXPECT_TRUE(matches_etag("*", "\"a\""));
  EXPECT_FALSE(matches_etag("\"ab\"", "\"a\""));
  EXPECT_FALSE(matches_etag("", "\"a\""));
}

TEST(HttpFields, QueryValue) {
  const std::tuple<const char*, const char*> rows[] = {
      {"model=shop", "shop"},
      {"a=1&model=shop&model=x", "shop"},
      {"model=%E5%AE%A2+x", "客 x"},
      {"model=%41", "A"},
      {"model", ""},
      {"", ""},
      {"modelx=1", ""},
  };
  for (const auto& [query, expected] : rows) {
    const auto value = query_value(query, "model");
    ASSERT_TRUE(value.has_value()) << query;
    EXPECT_EQ(*value, expected) << query;
  }
  for (const char* broken : {"model=%", "model=%4", "model=%zz", "model=%ff"}) {
    const auto value = query_value(broken, "model");
    ASSERT_FALSE(value.has_value()) << broken;
    EXPECT_EQ(value.error().code, Code::kInvalidArgument);
  }
}

TEST(HttpFields, RequestId) {
  EXPECT_TRUE(is_sane_request_id("a-B_9."));
  EXPECT_TRUE(is_sane_request_id(new_request_id()));
  EXPECT_NE(new_request_id(), new_request_id());
  for (const char* bad : {"", "a b", "a\n", "é", "\"x\""}) EXPECT_FALSE(is_sane_request_id(bad)) << bad;
  EXPECT_FALSE(is_sane_request_id(std::string(65, 'a')));
}

TEST(Router, FindsMethodAndPath) {
  const auto nothing = [](const RequestPtr&, const Respond&) {};
  const Router router({{"GET", "/a", nothing}, {"POST", "/a", nothing}, {"POST", "/b", nothing}});
  EXPECT_EQ(router.find("GET", "/a").handler, &router.routes()[0].handler);
  EXPECT_EQ(router.find("HEAD", "/a").handler, &router.routes()[0].handler);
  EXPECT_EQ(router.find("POST", "/a").handler, &router.routes()[1].handler);
  EXPECT_EQ(router.find("PUT", "/a").allow, "GET, HEAD, POST");
  EXPECT_EQ(router.find("GET", "/b").allow, "POST");
  for (const char* unknown : {"/a/", "/c", "", "a"}) {
    EXPECT_TRUE(router.find("GET", unknown).path.empty()) << unknown;
    EXPECT_TRUE(router.find("GET", unknown).allow.empty()) << unknown;
  }
}

TEST(Router, SegmentsInBracesTakeAnyOne) {
  const auto nothing = [](const RequestPtr&, const Respond&) {};
  const Router router({{"GET", "/m/{model}", nothing}, {"POST", "/m/{model}/v/{version}/infer", nothing}});
  const RouteMatch match = router.find("POST", "/m/a%2Fb+c/v/%E4%BD%A0/infer");
  EXPECT_EQ(match.handler, &router.routes()[1].handler);
  EXPECT_EQ(match.path, "/m/{model}/v/{version}/infer");
  EXPECT_EQ(match.values, (std::vector<std::string>{"a/b+c", "你"}));
  EXPECT_EQ(router.find("POST", "/m/a").allow, "GET, HEAD");
  for (const char* unknown : {"/m/", "/m", "/m/a/", "/m/a/v/1", "/m/%", "/m/%ff", "/m//v/1/infer"})
    EXPECT_TRUE(router.find("GET", unknown).path.empty()) << unknown;
}

}  // namespace
}  // namespace kefu::serve
