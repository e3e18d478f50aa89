#include "serve/release_endpoints.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/ranges.h>

#include "serve/error_reply.h"
#include "serve/json_body.h"
#include "serve/v2_reply.h"

namespace kefu::serve {
namespace {

using release::Order;

constexpr std::array kOrders{Order::kShadow, Order::kCanary, Order::kHold, Order::kPromote, Order::kRollBack};

/// Complains about members that nobody reads: a typing error in a plan must not become a default.
Result<void> check_members(const Json& body, const std::vector<std::string_view>& known) {
  for (const auto& [key, value] : body.items()) {
    if (std::ranges::find(known, key) == known.end())
      return fail(Code::kInvalidArgument, "there is no member \"{}\"; known: {}", key,
                  fmt::join(known, ", "));
  }
  return {};
}

Json status_json(const release::ReleaseStatus& status) {
  Json body = to_json(status.release);
  body["canary_replies"] = status.canary_replies;
  body["stable_replies"] = status.stable_replies;
  body["shadow"] = {
      {"agreed", status.shadowed[0]}, {"differed", status.shadowed[1]}, {"failed", status.shadowed[2]}};
  body["guards"] = Json::array();
  for (const release::GuardReading& one : status.readings) {
    body["guards"].push_back({{"guard", one.guard},
                              {"canary_percent", one.canary_share * 100},
                              {"allowed_percent", one.allowed_share * 100},
                              {"alarm", one.alarm},
                              {"assurance", one.assurance}});
  }
  return body;
}

HttpResponse about_release(const release::Releases& releases, const HttpRequest& request) {
  const std::string& model = request.path_values.at(0);
  if (const auto status = releases.status(model)) return json_response(status_json(*status));
  return error_response(request, {Code::kNotFound, fmt::format("model '{}' has had no release", model)});
}

HttpResponse list(const release::Releases& releases) {
  Json all = Json::array();
  for (const release::ReleaseStatus& status : releases.statuses()) all.push_back(status_json(status));
  return json_response({{"releases", std::move(all)}});
}

HttpResponse answer(const HttpRequest& request, const Result<release::Release>& outcome) {
  return outcome ? json_response(to_json(*outcome)) : error_response(request, outcome.error());
}

/// Orders wait for the disk, which no I/O thread may.
class OrderThread {
 public:
  OrderThread() : thread_(std::make_shared<boost::asio::thread_pool>(1)) {}

  /// An endpoint that runs on this thread.
  Handler running(std::function<void(const RequestPtr&, const Respond&)> endpoint) const {
    const auto held = std::make_shared<const decltype(endpoint)>(std::move(endpoint));  // by what still waits
    return [thread = thread_, held](const RequestPtr& request, const Respond& respond) {
      boost::asio::post(*thread, [held, request, respond] {
        try {
          (*held)(request, respond);
        } catch (const std::exception&) {
          respond([request] {
            return error_response(*request, 500, "the server failed to carry the order out");
          });
        }
      });
    };
  }

  /// One that answers at once.
  Handler answering(std::function<HttpResponse(const HttpRequest&)> make) const {
    return running([make = std::move(make)](const RequestPtr& request, const Respond& respond) {
      respond([response = make(*request)] { return response; });
    });
  }

 private:
  std::shared_ptr<boost::asio::thread_pool> thread_;  // ends with the last route
};

/// Answers when the version is in service.
void stage(release::Releases& releases, const RequestPtr& request, const Respond& respond) {
  const auto read = [&]() -> Result<int> {
    KEFU_ASSIGN(const Json body, read_json_body(*request));
    KEFU_CHECK(check_members(body, {"version"}));
    return json_get<int>(body, "version", "the body");
  };
  const auto version = read();
  if (!version)
    return respond([request, error = version.error()] { return error_response(*request, error); });
  releases.stage(request->path_values.at(0), *version,
                 [request, respond](const Result<release::Release>& outcome) {
                   respond([request, outcome] { return answer(*request, outcome); });
                 });
}

Result<release::Release> order(release::Releases& releases, Order order, const HttpRequest& request) {
  const std::string& model = request.path_values.at(0);
  KEFU_ASSIGN(const Json body, read_json_body(request));
  std::vector<std::string_view> known{"reason"};
  release::Plan plan;
  if (order == Order::kShadow) plan.shadow_share = hosting::kWhole;
  if (order == Order::kShadow || order == Order::kCanary) {
    known.insert(known.end(), {"steps", "step_seconds", "advances", "shadow_percent", "bake_seconds"});
    KEFU_ASSIGN(plan, release::read_plan(body, plan, "the body"));
  }
  KEFU_CHECK(check_members(body, known));
  std::string reason = fmt::format("ordered: {}", release::order_name(order));
  if (body.contains("reason")) {
    KEFU_ASSIGN(reason, json_get<std::string>(body, "reason", "the body"));
  }
  return releases.order(model, order, reason, plan);
}

/// The versions that the labels of a model are on; null: none.
HttpResponse labels(const hosting::ModelTable& models, const HttpRequest& request) {
  const hosting::Traffic traffic = models.traffic(request.path_values.at(0));
  const auto version = [](const std::optional<int>& label) { return label ? Json(*label) : Json(); };
  return json_response({{"stable", version(traffic.stable)}, {"canary", version(traffic.canary)}});
}

/// {"stable": version or null, "expected": version or null}
HttpResponse move_label(const Services& services, const HttpRequest& request) {
  const auto read = [&]() -> Result<void> {
    KEFU_ASSIGN(const Json body, read_json_body(request));
    KEFU_CHECK(check_members(body, {"stable", "expected"}));
    const auto version = [&](const char* key) -> Result<std::optional<int>> {
      if (body.contains(key) && body[key].is_null()) return std::nullopt;
      KEFU_ASSIGN(const int number, json_get<int>(body, key, "the body"));
      return number;
    };
    KEFU_ASSIGN(const auto stable, version("stable"));
    KEFU_ASSIGN(const auto expected, version("expected"));
    return services.releases.set_stable(request.path_values.at(0), stable, expected);
  };
  const Result<void> outcome = read();
  return outcome ? labels(services.models, request) : error_response(request, outcome.error());
}

}  // namespace

std::vector<Route> release_routes(const Services& services) {
  release::Releases& releases = services.releases;
  const OrderThread orders;
  const std::string path = "/kefu/v1/releases/{model}";
  std::vector<Route> routes{
      {"GET", "/kefu/v1/releases",
       orders.answering([&releases](const HttpRequest&) { return list(releases); }),
       "The last release of each model"},
      {"GET", path,
       orders.answering([&releases](const HttpRequest& request) { return about_release(releases, request); }),
       "The last release of a model, and what its guards read"},
      {"POST", path + "/stage",
       orders.running([&releases](const RequestPtr& request, const Respond& respond) {
         stage(releases, request, respond);
       }),
       "Begin a release: bring a version into service beside the one that serves"},
      {"GET", "/kefu/v1/labels/{model}",
       answering([&models = services.models](const HttpRequest& request) { return labels(models, request); }),
       "The versions that the labels of a model are on"},
      {"POST", "/kefu/v1/labels/{model}",
       orders.answering([services](const HttpRequest& request) { return move_label(services, request); }),
       "Move the label stable, if it is where it is expected"},
  };
  for (const Order each : kOrders) {
    routes.push_back({"POST", path + "/" + std::string(release::order_name(each)),
                      orders.answering([&releases, each](const HttpRequest& request) {
                        return answer(request, order(releases, each, request));
                      }),
                      fmt::format("Order a release: {}", release::order_name(each))});
  }
  return routes;
}

}  // namespace kefu::serve
