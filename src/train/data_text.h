#pragma once
// What every reader of data sets needs of a file: its text as valid UTF-8, its lines, its language.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "train/dataset.h"

namespace kefu::train {

/// The whole file; unpacked if it starts like gzip (RFC 1952), whatever its name. Errors name the path:
/// those of read_file(), kDataLoss if it does not unpack, kResourceExhausted above 1 GiB unpacked.
Result<std::string> read_data_text(const std::filesystem::path& path);

/// Drops a byte order mark and makes each invalid part of the text U+FFFD; if there is one, the data gets a
/// complaint with the first line concerned.
std::string mend_utf8(std::string text, const std::string& file, Complaint::Level level, Dataset& data);

/// read_data_text() and mend_utf8() with a warning: for sets that are not ours to mend.
Result<std::string> read_public_text(const std::filesystem::path& path, Dataset& data);

/// "es" of es.yml, zh-Hans.yml and en.valid.conll: the name up to the first '-' or '.', if that is two
/// small letters (ISO 639-1); else empty.
std::string language_of_file(const std::filesystem::path& path);

/// Views of the lines without their '\n' and '\r'; line 1 is at 0. A last line without end counts.
std::vector<std::string_view> split_lines(std::string_view text);

/// Without blanks, tabs and line breaks (ASCII) at both ends.
std::string_view trim(std::string_view text);

/// Code points of valid UTF-8.
std::uint32_t count_code_points(std::string_view utf8);

}  // namespace kefu::train
