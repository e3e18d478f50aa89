#include "loadgen/prepare.h"

#include "base/file.h"
#include "base/json.h"
#include "loadgen/grpc_target.h"
#include "loadgen/http_target.h"
#include "loadgen/requests.h"

namespace kefu::loadgen {
namespace {

Result<Prepared> prepare_body(const net::Url& url, const Options& options) {
  KEFU_ASSIGN(const std::string body, read_file(options.body));
  KEFU_CHECK(parse_json(body, options.body));
  KEFU_ASSIGN(std::string request, http_request(url, options.path, body));
  return Prepared{make_http_target(url, {std::move(request)}, options.trust), "POST " + options.path, {}};
}

Result<Prepared> prepare_http(const Subject& subject, const Options& options,
                              const std::vector<std::string>& texts) {
  KEFU_ASSIGN(const std::string path,
              subject.is_infer ? infer_path(options.model) : parse_path(options.model));
  std::vector<std::string> requests;
  for (const std::string& text : texts) {
    KEFU_ASSIGN(std::string request,
                http_request(subject.url, path, subject.is_infer ? infer_body(text) : parse_body(text)));
    requests.push_back(std::move(request));
  }
  return Prepared{make_http_target(subject.url, std::move(requests), options.trust), "POST " + path,
                  text_lengths(texts)};
}

Prepared prepare_grpc(const net::Url& url, const Options& options, const std::vector<std::string>& texts) {
  std::vector<std::string> messages;
  for (const std::string& text : texts) messages.push_back(infer_message(options.model, text));
  return {make_grpc_target(url, messages, options.streams, options.trust), "ModelInfer of " + options.model,
          text_lengths(texts)};
}

}  // namespace

Result<Prepared> prepare(const Options& options) {
  KEFU_ASSIGN(const Subject subject, check_subject(options));
  if (!options.body.empty()) return prepare_body(subject.url, options);
  KEFU_ASSIGN(const std::string content, read_file(options.texts));
  KEFU_ASSIGN(const std::vector<std::string> texts, split_texts(content, options.texts));
  if (subject.url.is_grpc) return prepare_grpc(subject.url, options, texts);
  return prepare_http(subject, options, texts);
}

}  // namespace kefu::loadgen
