// Corpus: the files of a folder, in memory.
//
// Files that cannot be read or decoded are left out, so that every workload measures the same
// pictures.
// Immutable once made, so that any number of threads may read it.
#pragma once

#include <sluice/ops/decode.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sluice::app {

class Corpus {
 public:
  // Throws UsageError for a folder that cannot be read or holds nothing that can be decoded.
  // With a device the files lie in memory that it reads, as they do where a pipeline has read them.
  explicit Corpus(const std::string& folder, Device* device = nullptr);

  std::int64_t size() const { return static_cast<std::int64_t>(files_.size()); }
  // File i; numbers beyond size() start over.
  ByteSpan operator[](std::int64_t i) const { return files_[static_cast<std::size_t>(i % size())]; }
  // A view of it for a pipeline, which finds it in an index, if there is one, without computing its
  // hash anew.
  Bytes file(std::int64_t i, std::shared_ptr<JpegIndex> index) const;
  std::int64_t label(std::int64_t i) const { return labels_[static_cast<std::size_t>(i % size())]; }
  double megabytes() const;
  int left_out() const { return left_out_; }
  // The files that rules leave out, in words.
  const std::vector<std::string>& left_out_by_rules() const { return by_rules_; }
  // How many of the files an index knows something of.
  std::int64_t known_to(const JpegIndex& index) const;

 private:
  std::vector<Bytes> files_;
  std::vector<std::int64_t> labels_;  // as files_in() numbers them
  int left_out_ = 0;
  std::vector<std::string> by_rules_;
};

}  // namespace sluice::app
