#pragma once
// The model repository extension and the operations behind it: routes of the admin plane.

#include "hosting/model_table.h"
#include "serve/router.h"

namespace kefu::serve {

/// `models` must outlive the routes.
std::vector<Route> repository_routes(hosting::ModelTable& models);

}  // namespace kefu::serve
