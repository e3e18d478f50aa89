#pragma once
// Orders to a running server over HTTP.

#include <string>

#include "base/json.h"

namespace kefu::cli {

/// Sends one request to `server` ("http://host:port") and waits. A null body sends none. The answer's JSON;
/// an error answer is the server's sentence with the code of its status. kUnavailable: nobody answers;
/// kInvalidArgument: the address.
Result<Json> ask_server(const std::string& server, const std::string& method, const std::string& path,
                        const Json& body);

}  // namespace kefu::cli
