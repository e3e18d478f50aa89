#include "serve/page_endpoint.h"

#include <string_view>

#include <fmt/format.h>

#include "base/file.h"
#include "base/version.h"
#include "serve/http_fields.h"

extern "C" {
extern const char kefu_embed_index_html_begin[];
extern const char kefu_embed_index_html_end[];
}

namespace kefu::serve {
namespace {

/// The page brings its own script and style and speaks to this server only.
constexpr const char* kContentPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view page() {
  return {kefu_embed_index_html_begin,
          static_cast<std::size_t>(kefu_embed_index_html_end - kefu_embed_index_html_begin)};
}

HttpResponse hello() {
  HttpResponse response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = fmt::format("Hello from Kefu: {}\n", version());
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

HttpResponse show_page(const HttpRequest& request, const std::string& etag) {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.headers = {{"ETag", etag}, {"Cache-Control", "no-cache"}, {"Vary", "Accept"}};
  if (matches_etag(request.if_none_match, etag)) {
    response.status = 304;
    return response;
  }
  response.body = page();
  response.headers.emplace_back("Content-Security-Policy", kContentPolicy);
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  return response;
}

}  // namespace

Handler make_page_endpoint() {
  return [etag = fmt::format("\"{}\"", sha256_hex(page()).substr(0, 16))](const RequestPtr& request,
                                                                          const Respond& respond) {
    respond([request, etag] { return accepts_html(request->accept) ? show_page(*request, etag) : hello(); });
  };
}

}  // namespace kefu::serve
