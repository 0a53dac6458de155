#include "bench_corpus.h"

#include "usage.h"
#include <sluice/io/files.h>
#include <sluice/io/jpeg_decode.h>

#include <utility>

#include <fmt/format.h>

namespace sluice::app {

namespace {

Files found_in(const std::string& folder) {
  try {
    return files_in(folder);
  } catch (const IoError& error) {
    throw UsageError(fmt::format("--data: {}", error.what()));
  }
}

}  // namespace

Corpus::Corpus(const std::string& folder) {
  const Files files = found_in(folder);
  Image picture;
  for (std::int64_t i = 0; i < files.size(); ++i) {
    try {
      Bytes bytes = read_file(files.name(i));
      decode_jpeg_image(bytes, {}, picture);
      files_.push_back(std::move(bytes));
    } catch (const Error&) {
      ++left_out_;
    }
  }
  if (files_.empty())
    throw UsageError(fmt::format("--data: no file in '{}' can be decoded", folder));
}

double Corpus::megabytes() const {
  std::size_t sum = 0;
  for (const Bytes& file : files_) sum += file.size();
  return static_cast<double>(sum) / 1e6;
}

}  // namespace sluice::app
