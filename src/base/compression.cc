#include "base/compression.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include <zlib.h>

namespace kefu {
namespace {

constexpr int kWindow = 15;  // the largest; see inflateInit2 in zlib.h
constexpr int kEitherForm = kWindow + 32;
constexpr int kGzipForm = kWindow + 16;
constexpr std::size_t kBlock = std::size_t{1} << 16;

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib reads through it only
}

/// What zlib's counters can hold of what is left.
uInt next_part(std::string_view left) {
  return static_cast<uInt>(std::min<std::size_t>(left.size(), std::numeric_limits<uInt>::max()));
}

}  // namespace

Result<std::string> unpack(std::string_view packed, std::size_t limit) {
  z_stream stream{};
  if (inflateInit2(&stream, kEitherForm) != Z_OK) return fail(Code::kInternal, "zlib does not start");
  const std::unique_ptr<z_stream, EndInflate> guard(&stream);
  std::string content;
  std::array<char, kBlock> block{};
  for (;;) {
    const uInt given = next_part(packed);
    stream.next_in = bytes_of(packed);
    stream.avail_in = given;
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    const int state = inflate(&stream, Z_NO_FLUSH);
    packed.remove_prefix(given - stream.avail_in);
    const std::size_t made = block.size() - stream.avail_out;
    if (made > limit - content.size())
      return fail(Code::kOutOfRange, "it unpacks to more than {} bytes", limit);
    content.append(block.data(), made);
    if (state == Z_STREAM_END && packed.empty()) return content;
    if (state == Z_STREAM_END) {
      inflateReset(&stream);
    } else if (state != Z_OK) {
      return fail(Code::kDataLoss, "it is not whole gzip or zlib data ({})",
                  stream.msg != nullptr ? stream.msg : "it ends too early");
    }
  }
}

std::string pack(std::string_view content, Packing packing) {
  z_stream stream{};
  constexpr int kMemory = 8;  // zlib's own default
  const int form = packing == Packing::kGzip ? kGzipForm : kWindow;
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, form, kMemory, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = bytes_of(content);
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace kefu
