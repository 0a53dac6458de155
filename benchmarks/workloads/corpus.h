// Corpus: the files of a folder, in memory.
//
// It leaves out files that cannot be read or decoded, so that every workload measures the same
// images. Immutable once constructed, so any number of threads may read it.
#pragma once

#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sluice::app {

class Corpus {
 public:
  // Throws UsageError if the folder cannot be read, or if none of its files can be decoded. With a
  // device, the files lie in memory that the device reads, as in a pipeline.
  explicit Corpus(const std::string& folder, Device* device = nullptr);

  std::int64_t size() const { return static_cast<std::int64_t>(files_.size()); }
  // Returns file `i` modulo size().
  std::span<const std::uint8_t> operator[](std::int64_t i) const {
    return files_[static_cast<std::size_t>(i % size())];
  }
  // Returns a view of the file for a pipeline. It carries the file's hash, so a lookup in `index`
  // (which may be null) does not compute it again.
  Bytes file(std::int64_t i, std::shared_ptr<JpegIndex> index) const;
  std::int64_t label(std::int64_t i) const { return labels_[static_cast<std::size_t>(i % size())]; }
  double megabytes() const;
  int left_out() const { return left_out_; }
  // Descriptions of the files that are left out by rules.
  const std::vector<std::string>& left_out_by_rules() const { return by_rules_; }
  // The number of files that have an entry in the JPEG index.
  std::int64_t known_to(const JpegIndex& index) const;

 private:
  std::vector<Bytes> files_;
  std::vector<std::int64_t> labels_;  // numbered by files_in()
  int left_out_ = 0;
  std::vector<std::string> by_rules_;
};

}  // namespace sluice::app
