#include "train/yaml_text.h"

#include <algorithm>
#include <sstream>

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>

namespace kefu::train {
namespace {

constexpr int kMaxDepth = 64;

/// What YAML 1.2 leaves out of c-printable below U+0080.
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
}

Result<void> check_controls(std::string_view yaml, std::string_view file) {
  const auto found = std::ranges::find_if(yaml, is_control);
  if (found == yaml.end()) return {};
  const auto line = std::count(yaml.begin(), found, '\n') + 1;
  return fail(Code::kInvalidArgument,
              "{}:{}: control character U+{:04X}; remove it (the file must be UTF-8 text)", file, line,
              static_cast<unsigned>(static_cast<unsigned char>(*found)));
}

/// Listens to the parser, which calls itself for each level, and stops it before the stack is at risk.
class ShapeGuard final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw YAML::ParserException(mark, "a second document (\"---\"); put all into one");
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnSequenceEnd() override { --depth_; }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    enter(mark);
  }
  void OnMapEnd() override { --depth_; }

 private:
  void enter(const YAML::Mark& mark) {
    if (++depth_ > kMaxDepth) throw YAML::ParserException(mark, "nested deeper than 64 levels; flatten it");
  }

  int depth_ = 0;
  int documents_ = 0;
};

}  // namespace

Result<YAML::Node> parse_yaml(std::string_view text, std::string_view file) {
  KEFU_CHECK(check_controls(text, file));
  // yaml-cpp 0.7 takes a quote that is not closed for closed if a line break ends the file: end without one.
  const std::string yaml(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
  try {
    std::istringstream stream(yaml);
    YAML::Parser parser(stream);
    ShapeGuard guard;
    while (parser.HandleNextDocument(guard)) {
    }
    return YAML::Load(yaml);
  } catch (const YAML::Exception& error) {
    return fail(Code::kInvalidArgument, "{}:{}: malformed YAML: {}", file, std::max(error.mark.line, 0) + 1,
                error.msg);
  }
}

}  // namespace kefu::train
