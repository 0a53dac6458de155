#include "benchmarks/workloads/corpus.h"

#include "apps/inputs.h"
#include "apps/summary.h"
#include "apps/usage.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/runtime/device.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace sluice::app {

Corpus::Corpus(const std::string& folder, Device* device) {
  BufferPool memory(device != nullptr ? device->pinned() : host_memory());
  const Files files = data_files(folder);
  const std::vector<LeftOut> left_out = left_out_of(files);
  left_out_ = static_cast<int>(unreadable_of(left_out).size());
  by_rules_ = words_of_rules(left_out);
  Image picture;
  for (std::int64_t i = 0; i < files.size(); ++i) {
    try {
      Bytes bytes = [&] {
        const BufferPoolScope scope(memory);
        return read_file(files.name(i));
      }();
      decode_jpeg_image(bytes, {}, picture);
      bytes.set_index(nullptr, digest_of(bytes).hash);
      files_.push_back(std::move(bytes));
      labels_.push_back(files.label(i));
    } catch (const Error&) {
      ++left_out_;
    }
  }
  if (files_.empty())
    throw UsageError(fmt::format("--data: no file in '{}' can be decoded", folder));
}

Bytes Corpus::file(std::int64_t i, std::shared_ptr<JpegIndex> index) const {
  const Bytes& kept = files_[static_cast<std::size_t>(i % size())];
  Bytes view = Bytes::view_of(kept);
  view.set_index(std::move(index), kept.content_hash());
  return view;
}

double Corpus::megabytes() const {
  std::size_t sum = 0;
  for (const Bytes& file : files_) sum += file.size();
  return static_cast<double>(sum) / 1e6;
}

std::int64_t Corpus::known_to(const JpegIndex& index) const {
  return std::count_if(files_.begin(), files_.end(), [&index](const Bytes& file) {
    return index.find(digest_of(file, file.content_hash())).has_value();
  });
}

}  // namespace sluice::app
