#include "serve/http_call.h"

#include <charconv>

namespace kefu::serve {

Result<runtime::Call> call_of(const HttpRequest& request, const hosting::VisitPtr& visit) {
  runtime::Call call = hosting::call_of(visit);
  call.cancellation = request.cancellation;
  call.tenant = request.tenant;
  const std::string& field = request.timeout_ms;
  if (field.empty()) return call;
  constexpr int kDay = 86'400'000;
  int ms = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), ms);
  if (error != std::errc() || end != field.data() + field.size() || ms < 1 || ms > kDay) {
    return fail(Code::kInvalidArgument, "Kefu-Timeout-Ms must be a number of milliseconds from 1 to {}",
                kDay);
  }
  call.deadline = request.received + std::chrono::milliseconds(ms);
  return call;
}

}  // namespace kefu::serve
