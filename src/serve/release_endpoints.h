#pragma once
// Orders to releases and labels: the admin API behind `kefu release`.

#include "serve/router.h"
#include "serve/services.h"

namespace kefu::serve {

/// /kefu/v1/releases and /kefu/v1/labels.
std::vector<Route> release_routes(const Services& services);

}  // namespace kefu::serve
