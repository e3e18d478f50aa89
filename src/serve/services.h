#pragma once
// What the endpoints of every transport work with.

#include <functional>
#include <string>

#include "auth/gate.h"
#include "hosting/entrance.h"
#include "hosting/model_table.h"
#include "release/releases.h"

namespace kefu::serve {

/// All of it outlives the servers.
struct Services {
  hosting::ModelTable& models;
  hosting::Entrance& entrance;
  release::Releases& releases;
  auth::Gate& gate;
  std::string name = "kefu";         // that the server gives itself
  std::function<bool()> draining{};  // asked on any thread: true from the start of a shutdown
};

}  // namespace kefu::serve
