// Driver of the parity tests and the speed comparison.
//   kefu_encode_lines encode TOKENIZER < texts > tokens
//   kefu_encode_lines time TOKENIZER REPEATS < texts > seconds, one line a repeat
//   kefu_encode_lines load TOKENIZER > seconds
// A text is a u32 size and so many bytes; its tokens are a u32 count and (id, begin, end) as i32, u32, u32.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <string>

#include <unistd.h>

#include "text/tokenizer.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::string> read_texts() {
  const std::string input{std::istreambuf_iterator<char>(std::cin), {}};
  std::vector<std::string> texts;
  for (std::size_t at = 0; at + 4 <= input.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, input.data() + at, 4);
    texts.push_back(input.substr(at + 4, size));
    at += 4 + size;
  }
  return texts;
}

void put(std::uint32_t value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), 4);
}

void write_tokens(const kefu::text::Tokenizer& tokenizer) {
  std::string out;
  for (const std::string& text : read_texts()) {
    kefu::text::Encoding encoding;
    tokenizer.encode(text, encoding);
    put(static_cast<std::uint32_t>(encoding.ids.size()), out);
    for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
      put(static_cast<std::uint32_t>(encoding.ids[i]), out);
      put(encoding.offsets[i].begin, out);
      put(encoding.offsets[i].end, out);
    }
  }
  std::cout << out;
}

void write_times(const kefu::text::Tokenizer& tokenizer, int repeats) {
  const std::vector<std::string> texts = read_texts();
  kefu::text::Encoding encoding;
  for (int i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    for (const std::string& text : texts) {
      encoding.clear();
      tokenizer.encode(text, encoding);
    }
    std::cout << seconds_since(start) << '\n';
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 2 ? arguments[1] : "";
  if (mode != "encode" && mode != "time" && mode != "load") {
    std::cerr << "usage: kefu_encode_lines encode|time|load TOKENIZER [REPEATS]\n";
    return 2;
  }
  const auto start = Clock::now();
  const auto tokenizer = kefu::text::load_tokenizer(arguments[2]);
  if (!tokenizer) {
    std::cerr << tokenizer.error().message << '\n';
    return 1;
  }
  if (mode == "load") std::cout << seconds_since(start) << '\n';
  if (mode == "encode") write_tokens(**tokenizer);
  if (mode == "time") write_times(**tokenizer, count > 3 ? std::atoi(arguments[3]) : 1);
  return 0;
}
