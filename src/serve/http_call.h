#pragma once
// How an HTTP request wants to be treated.

#include "hosting/entrance.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// Its moments are left in the visit. Its deadline comes from the header Kefu-Timeout-Ms, counted from the
/// request's arrival; it is cancelled when its client goes. kInvalidArgument: the header is not a number of
/// milliseconds from 1 to 86,400,000.
Result<runtime::Call> call_of(const HttpRequest& request, const hosting::VisitPtr& visit);

}  // namespace kefu::serve
