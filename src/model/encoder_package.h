#pragma once
// An encoder folder: manifest.json, tokenizer.json, embeddings.bin and the graph, as written by
// scripts/convert-encoder.

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "text/tokenizer.h"

namespace kefu::model {

/// The manifest of an encoder, checked against the folder.
struct EncoderManifest {
  std::string name;
  std::string pooling;  // "mean"
  std::string prefix;   // put before every text, "query: " for the E5 family
  std::size_t hidden = 0;
  std::size_t max_tokens = 0;
  std::string table_format;  // "q4_0", "f32"
  std::size_t table_rows = 0;
  std::string digest;  // SHA-256 over the files' digests: equal digests, equal encoders
};

/// A folder whose files are all there with the digests of the manifest.
struct EncoderPackage {
  std::filesystem::path folder;
  EncoderManifest manifest;
  std::shared_ptr<const text::Tokenizer> tokenizer;

  std::filesystem::path graph() const { return folder / "body.onnx"; }
  std::filesystem::path table() const { return folder / "embeddings.bin"; }
};

/// Reads and verifies a folder. Errors are one line and end with the remedy: kNotFound (no such folder or
/// file), kDataLoss (a digest differs), kInvalidArgument (a tokeniser that does not fit the table).
Result<EncoderPackage> load_encoder_package(const std::filesystem::path& folder);

}  // namespace kefu::model
