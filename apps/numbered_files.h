// NumberedFiles: files with their number, so that a stand-in can say which file it came from. What
// is there already is not read again: its bytes are empty.
//
// Ownership, threads and errors: as Files says.
#pragma once

#include <sluice/io/sources/files.h>

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::app {

struct NumberedFiles {
  Files files;
  std::int64_t count = 0;                      // of an epoch
  std::function<bool(std::int64_t)> is_there;  // by number of the result
  static constexpr bool blocks = true;
  std::int64_t size() const { return count; }
  const std::string& name(std::int64_t i) const { return files.name(i); }
  SourceReads reads() const { return files.reads(); }
  // The file, unless its result is there; its label; its number; whether it was read.
  std::tuple<Bytes, std::int64_t, std::int64_t, bool> operator()(const SampleInfo& info) const {
    const std::int64_t number = info.index;
    if (is_there(info.epoch * files.size() + number)) return {Bytes(), 0, number, false};
    auto [file, label] = files(info);
    return {std::move(file), label, number, true};
  }
};

}  // namespace sluice::app
