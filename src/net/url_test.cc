#include "net/url.h"

#include <gtest/gtest.h>

namespace kefu::net {
namespace {

TEST(Url, OfServers) {
  struct Row {
    const char* text;
    bool is_grpc;
    const char* host;
    int port;
    const char* authority;
    bool is_secure = false;
  };
  for (const Row& row :
       {Row{"http://127.0.0.1:8080", false, "127.0.0.1", 8080, "127.0.0.1:8080"},
        Row{"http://kefu.example:80/", false, "kefu.example", 80, "kefu.example:80"},
        Row{"grpc://my_host-2:65535", true, "my_host-2", 65535, "my_host-2:65535"},
        Row{"http://[::1]:1", false, "::1", 1, "[::1]:1"},
        Row{"https://shop.example:443", false, "shop.example", 443, "shop.example:443", true},
        Row{"grpcs://[::1]:2", true, "::1", 2, "[::1]:2", true}}) {
    const auto url = parse_url(row.text);
    ASSERT_TRUE(url) << url.error().message;
    EXPECT_EQ(url->is_grpc, row.is_grpc);
    EXPECT_EQ(url->is_secure, row.is_secure);
    EXPECT_EQ(url->host, row.host);
    EXPECT_EQ(url->port, row.port);
    EXPECT_EQ(url->authority(), row.authority);
  }
}

TEST(Url, WhatIsWrongIsSaid) {
  struct Row {
    const char* text;
    const char* complaint;
  };
  for (const Row& row :
       {Row{"", "no address"}, Row{"localhost:80", "no address"}, Row{"ftp://a:1", "no address"},
        Row{"https:/a:1", "no address"}, Row{"http://a", "no port"}, Row{"http://[::1]", "no port"},
        Row{"http://", "no port"}, Row{"http://:80", "the host \"\""}, Row{"http://a b:80", "the host"},
        Row{"http://::1:80", "the host"}, Row{"http://user@a:80", "the host"},
        Row{"http://a\r\nX:80", "the host"}, Row{"http://a:", "the port"}, Row{"http://a:0", "the port"},
        Row{"http://a:65536", "the port"}, Row{"http://a:8o", "the port"}, Row{"http://a:-1", "the port"},
        Row{"http://a:80/model/parse", "--path"}}) {
    const auto url = parse_url(row.text);
    ASSERT_FALSE(url) << row.text;
    EXPECT_EQ(url.error().code, Code::kInvalidArgument);
    EXPECT_NE(url.error().message.find(row.complaint), std::string::npos) << url.error().message;
  }
}

}  // namespace
}  // namespace kefu::net
