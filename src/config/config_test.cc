#include "config/config.h"

#include <gtest/gtest.h>

#include "base/file.h"

namespace kefu::config {
namespace {

std::filesystem::path write(const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / "kefu_config_test.yaml";
  EXPECT_TRUE(write_file(path, text));
  return path;
}

/// What a server with two settings says to a file.
std::string complaint(const std::string& text, const std::string& assignment = "") {
  auto config = Config::load(write(text));
  if (!config) return config.error().message;
  int port = 8080;
  std::string host;
  std::string form = "text";
  if (!assignment.empty()) {
    if (const auto set = config->set(assignment); !set) return set.error().message;
  }
  if (const auto bound = config->bind("http.port", port, 0, 65535); !bound) return bound.error().message;
  if (const auto bound = config->bind("http.host", host); !bound) return bound.error().message;
  if (const auto bound = config->bind("log.form", form, {"text", "json"}); !bound)
    return bound.error().message;
  const auto done = config->finish();
  return done ? fmt::format("{} {}", host, port) : done.error().message;
}

TEST(Config, BindsAndOverrides) {
  EXPECT_EQ(complaint("http:\n  port: 9\n  host: ::1\n"), "::1 9");
  EXPECT_EQ(complaint("http:\n  port: 9\n", "http.port=10"), " 10");
  EXPECT_EQ(complaint("log:\n  form: json\n"), " 8080");
  EXPECT_EQ(complaint(""), " 8080");
}

TEST(Config, NamesFileLineAndRemedy) {
  EXPECT_NE(
      complaint("http:\n  prot: 9\n").find(".yaml:2: there is no setting http.prot; did you mean http.port?"),
      std::string::npos);
  EXPECT_NE(complaint("http:\n\n  port: many\n")
                .find(".yaml:3: http.port is \"many\", expected a whole number from 0 to 65535"),
            std::string::npos);
  EXPECT_NE(complaint("http: 3\n").find(".yaml:1: section http must hold"), std::string::npos);
  EXPECT_NE(complaint("http:\n  port: [1]\n").find(".yaml:2: http.port must be one value"),
            std::string::npos);
  EXPECT_NE(complaint("log:\n  form: xml\n").find(".yaml:2: log.form is \"xml\", expected one of text, json"),
            std::string::npos);
  EXPECT_NE(complaint("a: b: c\n").find(".yaml:1: "), std::string::npos);
  EXPECT_NE(complaint("", "http.port").find("section.key=value"), std::string::npos);
}

}  // namespace
}  // namespace kefu::config
