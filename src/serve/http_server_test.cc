// The whole layer over loopback sockets, with a service that answers when told to.

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "serve/openapi.h"
#include "serve/routes.h"
#include "serve/server.h"

namespace kefu::serve {
namespace {

/// Echoes on a thread of its own, or holds requests until release(). Serves `shop`, `full`, which refuses,
/// and `throw`.
class FakeService {
 public:
  FakeService()
      : table(make_repository(), {}, [this](const model::PackageId& id, const hosting::ModelSettings&) {
          return Result<hosting::ModelRef>(std::make_shared<Model>(id.name, *this));
        }) {
    table.set_default("shop");
    for (const char* name : {"shop", "full", "throw"}) {
      std::promise<Result<void>> loaded;
      table.load(name, nullptr, [&](Result<void> outcome) { loaded.set_value(std::move(outcome)); });
      EXPECT_TRUE(loaded.get_future().get());
    }
    set_ready(true);
  }
  ~FakeService() { join(); }

  void set_ready(bool ready) { table.require({ready ? "shop" : "absent"}); }
  void await_held(std::size_t count) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return held_.size() >= count; });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    for (auto& work : held_) threads_.emplace_back(std::move(work));
    held_.clear();
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::atomic<bool> hold = false;

 private:
  class Model final : public hosting::ServedModel {
   public:
    Model(const std::string& name, FakeService& service) : ServedModel(1), service_(service) {
      description_.metadata = {name, {"1"}, "fake", {}, {}};
    }
    const hosting::ModelDescription& description() const override { return description_; }
    runtime::StatisticsSnapshot statistics() const override { return {}; }
    void infer(oip::InferRequest, const runtime::Call&, hosting::InferDone done) override {
      done(fail(Code::kUnimplemented, "not this one"));
    }
    void parse(std::vector<nlu::ParseRequest> texts, const runtime::Call&, nlu::ParseDone done) override {
      service_.parse(description_.name(), std::move(texts), std::move(done));
    }

    void embed(std::vector<std::string>, const runtime::Call&, nlu::EmbedDone) override {}

   private:
    hosting::ModelDescription description_;
    FakeService& service_;
  };

  static std::filesystem::path make_repository() {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kefu_http_server";
    for (const char* name : {"shop", "full", "throw"}) {
      std::filesystem::create_directories(folder / name / "1");
      EXPECT_TRUE(write_file(folder / name / "1" / "manifest.json", "{}"));
    }
    return folder;
  }

  void parse(const std::string& model, std::vector<nlu::ParseRequest> texts, nlu::ParseDone done) {
    if (model == "full") return done(fail(Code::kResourceExhausted, "the queue is full"));
    if (model == "throw") throw std::runtime_error("secret text");
    const std::lock_guard lock(mutex_);
    auto work = [texts = std::move(texts), done = std::move(done)] {
      std::vector<nlu::ParseReply> replies;
      for (const nlu::ParseRequest& text : texts) {
        nlu::ParseReply reply;
        reply.text = text.text;
        reply.intent = {"greet", "common", 0.5f};
        reply.scores = {0.5f};
        reply.model = "shop";
        replies.push_back(std::move(reply));
      }
      done(std::move(replies));
    };
    if (hold) {
      held_.push_back(std::move(work));
      arrived_.notify_all();
    } else {
      threads_.emplace_back(std::move(work));
    }
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::function<void()>> held_;
  std::vector<std::thread> threads_;

 public:
  hosting::Entrance entrance{{}};
  hosting::ModelTable table;
  auth::Gate gate;
  std::unique_ptr<release::Releases> releases =
      *release::Releases::open(table, std::filesystem::path(testing::TempDir()) / "kefu_no_releases.json");
};

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    const timeval limit{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;

  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// One response with a Content-Length (or none, for HEAD and 304); empty if the server closes.
  std::string receive(bool body = true) {
    std::size_t end = std::string::npos;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill()) return std::exchange(unread_, {});
    }
    std::size_t size = end + 4;
    const std::size_t field = unread_.find("Content-Length: ");
    if (body && field < end) size += std::stoul(unread_.substr(field + 16));
    while (unread_.size() < size && fill()) {
    }
    std::string response = unread_.substr(0, size);
    unread_.erase(0, size);
    return response;
  }
  std::string exchange(std::string_view bytes) {
    send(bytes);
    return receive();
  }
  bool closed() { return unread_.empty() && !fill(); }

  bool connected = false;

 private:
  bool fill() {
    char block[65536];
    const ssize_t size = ::recv(socket_, block, sizeof(block), 0);
    if (size > 0) unread_.append(block, static_cast<std::size_t>(size));
    return size > 0;
  }

  int socket_;
  std::string unread_;
};

std::string post(std::string_view body, std::string_view query = "",
                 std::string_view type = "application/json") {
  return fmt::format(
      "POST /model/parse{} HTTP/1.1\r\nHost: x\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", query,
      type, body.size(), body);
}

std::string get(std::string_view target, std::string_view headers = "", std::string_view method = "GET") {
  return fmt::format("{} {} HTTP/1.1\r\nHost: x\r\n{}\r\n", method, target, headers);
}

int status_of(const std::string& response) {
  return response.size() > 12 ? std::stoi(response.substr(9, 3)) : 0;
}

Json body_of(const std::string& response) {
  return Json::parse(response.substr(response.find("\r\n\r\n") + 4), nullptr, false);
}

class HttpServerTest : public testing::Test {
 protected:
  void start(const HttpSettings& http = {}) {
    ServerSettings settings{
        .http = http, .grpc = {.enabled = false}, .metrics_enabled = false, .shutdown_delay_ms = 0};
    settings.http.port = 0;
    auto started = start_server(settings, service.table, service.entrance, *service.releases, service.gate);
    ASSERT_TRUE(started.has_value()) << started.error().message;
    server = *std::move(started);
  }
  std::string ask(std::string_view bytes) { return Client(server->http_port()).exchange(bytes); }

  FakeService service;
  std::unique_ptr<Server> server;
};

TEST_F(HttpServerTest, ParsesOnOneKeptConnection) {
  start({.threads = 2});
  Client client(server->http_port());
  for (const char* text : {"hi", "", "查询我的套餐剩余流量"}) {
    const std::string response = client.exchange(post(fmt::format(R"({{"text":"{}"}})", text)));
    EXPECT_EQ(status_of(response), 200) << response;
    EXPECT_EQ(body_of(response)["text"], text);
    EXPECT_EQ(body_of(response)["intent"]["name"], "greet");
  }
  client.send(post(R"({"text":"1"})", "?model=shop") + post(R"({"text":"2"})"));  // pipelined
  EXPECT_EQ(body_of(client.receive())["text"], "1");
  EXPECT_EQ(body_of(client.receive())["text"], "2");
}

TEST_F(HttpServerTest, ErrorsOfParse) {
  start();
  struct Row {
    std::string request;
    int status;
  };
  const std::string chunked =
      "POST /model/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: "
      "chunked\r\n\r\n";
  const Row rows[] = {
      {post("{"), 400},
      {post(R"({"text":1})"), 400},
      {post(R"({"text":")" + std::string(32'001, 'a') + "\"}"), 413},
      {post(R"({"text":"a"})", "?model=none"), 404},
      {post(R"({"text":"a"})", "?model=%"), 400},
      {post(R"({"text":"a"})", "", "text/plain"), 415},
      {post(R"({"text":"a"})", "", "application/json; charset=latin1"), 415},
      {post(R"({"text":"a"})", "?model=full"), 429},
      {post(R"({"text":"a"})", "?model=throw"), 500},
      {post(std::string(2 * 1024 * 1024 + 1, ' ')), 413},
      {chunked + "200001\r\n" + std::string(0x200001, ' ') + "\r\n0\r\n\r\n", 413},
      {get("/model/parse"), 405},
  };
  for (const Row& row : rows) {
    const std::string response = ask(row.request);
    EXPECT_EQ(status_of(response), row.status) << response;
    const Json body = body_of(response);
    EXPECT_EQ(body["status"], "failure") << response;
    EXPECT_EQ(body["code"], row.status);
    EXPECT_TRUE(body.contains("help") && body.contains("details") && body.contains("version"));
    EXPECT_EQ(response.find("secret"), std::string::npos);
  }
  EXPECT_NE(ask(get("/model/parse")).find("Allow: POST\r\n"), std::string::npos);
  EXPECT_EQ(status_of(ask(chunked + "c\r\n{\"text\":\"a\"}\r\n0\r\n\r\n")), 200);
}

TEST_F(HttpServerTest, ErrorsElsewhereAreProblems) {
  start();
  const std::pair<std::string, int> rows[] = {
      {get("/nothing"), 404},
      {get("/version", "", "POST"), 405},
      {get("/" + std::string(3000, 'a')), 414},
      {get("/version", "X-Long: " + std::string(20'000, 'a') + "\r\n"), 431},
      {"nonsense\r\n\r\n", 400},
  };
  for (const auto& [request, status] : rows) {
    const std::string response = ask(request);
    EXPECT_EQ(status_of(response), status) << response;
    EXPECT_NE(response.find("application/problem+json"), std::string::npos);
    EXPECT_EQ(body_of(response)["status"], status);
  }
}

TEST_F(HttpServerTest, HealthVersionAndRequestId) {
  service.set_ready(false);
  start();
  EXPECT_EQ(status_of(ask(get("/health/live"))), 200);
  EXPECT_EQ(status_of(ask(get("/health/ready"))), 503);
  service.set_ready(true);
  EXPECT_EQ(status_of(ask(get("/health/ready"))), 200);
  EXPECT_EQ(body_of(ask(get("/version")))["models"][1]["name"], "shop");
  EXPECT_NE(ask(get("/version", "X-Request-Id: abc-1\r\n")).find("X-Request-Id: abc-1\r\n"),
            std::string::npos);
  EXPECT_EQ(ask(get("/version", "X-Request-Id: a b\r\n")).find("a b"), std::string::npos);
}

TEST_F(HttpServerTest, PageForBrowsersLineForOthers) {
  start();
  EXPECT_NE(ask(get("/")).find("\r\n\r\nHello from Kefu: "), std::string::npos);
  const std::string page = ask(get("/", "Accept: text/html\r\n"));
  EXPECT_NE(page.find("<!doctype html>"), std::string::npos);
  const std::size_t at = page.find("ETag: ") + 6;
  const std::string etag = page.substr(at, page.find("\r\n", at) - at);
  EXPECT_EQ(status_of(ask(get("/", fmt::format("Accept: text/html\r\nIf-None-Match: {}\r\n", etag)))), 304);
  Client client(server->http_port());
  client.send(get("/version", "", "HEAD"));
  EXPECT_EQ(status_of(client.receive(false)), 200);
  EXPECT_EQ(status_of(client.exchange(get("/version"))), 200);
}

TEST_F(HttpServerTest, HalfARequestEndsWith408) {
  start({.header_timeout_ms = 30, .body_timeout_ms = 30, .idle_timeout_ms = 30});
  for (const char* half :
       {"GET / HT", "POST /model/parse HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"}) {
    Client client(server->http_port());
    EXPECT_EQ(status_of(client.exchange(half)), 408) << half;
    EXPECT_TRUE(client.closed());
  }
  EXPECT_TRUE(Client(server->http_port()).closed());  // idle: no answer
}

TEST_F(HttpServerTest, ExpectContinue) {
  start();
  Client client(server->http_port());
  client.send(
      "POST /model/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\n"
      "Expect: 100-continue\r\n\r\n");
  EXPECT_EQ(status_of(client.receive(false)), 100);
  EXPECT_EQ(status_of(client.exchange(R"({"text":"a"})")), 200);
}

TEST_F(HttpServerTest, StopAnswersWhatIsInFlight) {
  service.hold = true;
  start();
  Client busy(server->http_port());
  Client idle(server->http_port());
  EXPECT_EQ(status_of(idle.exchange(get("/health/live"))), 200);
  busy.send(post(R"({"text":"late"})"));
  service.await_held(1);
  std::thread stopper([&] { server->stop(); });
  EXPECT_TRUE(idle.closed());  // the drain has begun
  service.release();
  const std::string response = busy.receive();
  EXPECT_EQ(body_of(response)["text"], "late") << response;
  EXPECT_NE(response.find("Connection: close"), std::string::npos);
  EXPECT_TRUE(busy.closed());
  stopper.join();
  EXPECT_FALSE(Client(server->http_port()).connected);
}

TEST_F(HttpServerTest, DrainTimeEndsWith503AndDropsTheLateReply) {
  service.hold = true;
  start({.drain_ms = 20});
  Client busy(server->http_port());
  busy.send(post(R"({"text":"never"})"));
  service.await_held(1);
  server->stop();
  EXPECT_EQ(status_of(busy.receive()), 503);
  server.reset();
  service.release();
  service.join();
}

/// Waits until someone handles SIGTERM, so that raising it does not end the test.
void await_handler() {
  struct sigaction action{};
  while (::sigaction(SIGTERM, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
    std::this_thread::yield();
}

TEST_F(HttpServerTest, SignalStops) {
  start();
  std::thread runner([&] { EXPECT_TRUE(server->run_until_signal()); });
  await_handler();
  EXPECT_EQ(status_of(ask(get("/health/live"))), 200);
  ::kill(::getpid(), SIGTERM);
  runner.join();
  EXPECT_FALSE(Client(server->http_port()).connected);
}

TEST_F(HttpServerTest, SecondSignalCutsShort) {
  service.hold = true;
  start();
  Client busy(server->http_port());
  Client idle(server->http_port());
  EXPECT_EQ(status_of(idle.exchange(get("/health/live"))), 200);
  busy.send(post(R"({"text":"never"})"));
  service.await_held(1);
  std::thread runner([&] { EXPECT_FALSE(server->run_until_signal()); });
  await_handler();
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(idle.closed());  // the first one has been seen
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(status_of(busy.receive()), 503);
  runner.join();
}

TEST_F(HttpServerTest, StopEndsRunUntilSignal) {
  start();
  std::thread runner([&] { EXPECT_TRUE(server->run_until_signal()); });
  server->stop();
  runner.join();
}

TEST_F(HttpServerTest, PortInUseNamesHostAndPort) {
  for (const int threads : {1, 2}) {
    start({.threads = threads});
    const auto second =
        start_server({.http = {.port = server->http_port(), .threads = threads}, .grpc = {.enabled = false}},
                     service.table, service.entrance, *service.releases, service.gate);
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, Code::kAlreadyExists);
    EXPECT_NE(second.error().message.find(fmt::format("127.0.0.1:{}", server->http_port())),
              std::string::npos);
  }
  EXPECT_EQ(start_server({.http = {.port = 70'000}}, service.table, service.entrance, *service.releases,
                         service.gate)
                .error()
                .code,
            Code::kInvalidArgument);
  EXPECT_EQ(
      start_server({.http = {.threads = 0}}, service.table, service.entrance, *service.releases, service.gate)
          .error()
          .code,
      Code::kInvalidArgument);
}

TEST(OpenApi, DescribesExactlyTheRoutes) {
  FakeService service;
  std::set<std::string> served;
  const Router router = make_routes({.admin = true}, {service.table, service.entrance, *service.releases,
                                                      service.gate, "kefu", [] { return false; }});
  const auto document = parse_json(openapi_document(router.routes()), "openapi");
  ASSERT_TRUE(document.has_value());
  for (const Route& route : router.routes()) {
    served.insert(route.method + " " + route.path);
  }
  std::set<std::string> described;
  for (const auto& [path, methods] : (*document)["paths"].items()) {
    for (const auto& [method, operation] : methods.items()) {
      described.insert((method == "post" ? "POST " : "GET ") + path);
    }
  }
  EXPECT_EQ(served, described);
}

}  // namespace
}  // namespace kefu::serve
