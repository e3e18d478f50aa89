#pragma once
// Pure readers of the small syntaxes inside HTTP: media types, query strings, request ids.

#include <optional>
#include <string>
#include <string_view>

#include "base/compression.h"
#include "base/result.h"

namespace kefu::serve {

/// True for application/json, alone or with parameters, as long as a charset among them is UTF-8.
bool is_json_media_type(std::string_view content_type);

/// True if an Accept field names text/html with a weight above 0.
bool accepts_html(std::string_view accept);

/// The packing that an Accept-Encoding field asks for, gzip rather than deflate; none: neither is named with
/// a weight above 0.
std::optional<Packing> accepted_packing(std::string_view accept_encoding);

/// True if an If-None-Match field lists `etag` (with its quotes) or is "*". Weak comparison (RFC 9110
/// §13.1.2).
bool matches_etag(std::string_view if_none_match, std::string_view etag);

/// Undoes %XX and '+'; kInvalidArgument for a broken escape or a result that is not UTF-8.
Result<std::string> decode_query_value(std::string_view encoded);

/// Undoes %XX only; errors as above.
Result<std::string> decode_path_segment(std::string_view encoded);

/// The first value of a key of a query string, decoded; empty if absent.
Result<std::string> query_value(std::string_view query, std::string_view key);

/// 1 to 64 of [A-Za-z0-9._-]: fit to be logged and sent back.
bool is_sane_request_id(std::string_view id);

/// 16 random hexadecimal digits. Thread-safe.
std::string new_request_id();

}  // namespace kefu::serve
