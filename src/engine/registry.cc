#include "engine/registry.h"

#include <array>

#include <fmt/ranges.h>

#include "engine/fake/fake_engine.h"
#include "engine/openvino/openvino_engine.h"

namespace kefu::engine {
namespace {

struct Entry {
  std::string_view name;
  Result<std::unique_ptr<Engine>> (*load)(const std::filesystem::path&, const EngineOptions&);
  std::string (*version)();
};

constexpr std::array kEngines{
    Entry{"openvino", load_openvino_engine, openvino_version},
    Entry{"fake", load_fake_engine, fake_version},
};

}  // namespace

Result<std::unique_ptr<Engine>> load_engine(std::string_view engine, const std::filesystem::path& plan,
                                            const EngineOptions& options) {
  for (const Entry& entry : kEngines) {
    if (entry.name == engine) return entry.load(plan, options);
  }
  return fail(Code::kNotFound, "there is no engine \"{}\"; built in: {}", engine,
              fmt::join(engine_names(), ", "));
}

std::vector<std::string_view> engine_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEngines) names.push_back(entry.name);
  return names;
}

std::vector<std::string> engine_versions() {
  std::vector<std::string> versions;
  for (const Entry& entry : kEngines) versions.push_back(std::string(entry.name) + " " + entry.version());
  return versions;
}

}  // namespace kefu::engine
