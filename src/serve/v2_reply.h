#pragma once
// What the endpoints below /v2 share.

#include "base/json.h"
#include "hosting/model_table.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// 200 with a JSON body that no cache may keep.
HttpResponse json_response(const Json& body, int status = 200);

/// {"live":true}, {"ready":false} or, of a model, {"name":"default","ready":true}; 503 with false.
HttpResponse flag_response(const std::string& key, bool value, const std::string& model = {});

/// The model of /v2/models/{model}[/versions/{version}].
Result<hosting::ModelRef> find_model(const hosting::ModelTable& models, const HttpRequest& request);

/// Answers with what `make` makes of the model of the path. `models` must outlive the handler.
Handler about_model(const hosting::ModelTable& models,
                    std::function<HttpResponse(const hosting::ServedModel&)> make);

/// Answers at once.
Handler answering(std::function<HttpResponse(const HttpRequest&)> make);

}  // namespace kefu::serve
