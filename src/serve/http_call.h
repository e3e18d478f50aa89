#pragma once
// How an HTTP request wants to be treated.

#include "runtime/call.h"
#include "serve/http_message.h"

namespace kefu::serve {

/// Its deadline comes from the header Kefu-Timeout-Ms, counted from the request's arrival; it is cancelled
/// when its client goes. kInvalidArgument: the header is not a number of milliseconds from 1 to 86,400,000.
Result<runtime::Call> call_of(const HttpRequest& request);

}  // namespace kefu::serve
