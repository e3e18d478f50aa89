#pragma once
// What /v2 says of a model, as JSON.

#include "hosting/served_model.h"

namespace kefu::serve {

/// GET /v2/models/{model}.
Json model_metadata_json(const oip::ModelMetadata& model);

/// An element of "model_stats" of GET /v2/models/stats.
Json model_statistics_json(const hosting::ServedModel& model);

}  // namespace kefu::serve
