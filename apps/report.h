// Report: collects the outcomes of the samples of `sluice augment`, for the summary at the end and
// the contact sheet.
//
// Ownership: refers to the dataset. Threads: one. Errors: only those of drawing.
#pragma once

#include "dataset.h"
#include "sheet.h"
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sluice::app {

class Report {
 public:
  // The sheet shows this many samples, the first ones.
  static constexpr std::size_t kMostTiles = 24;

  explicit Report(const Dataset& dataset) : dataset_(dataset) {}

  void warn(const std::vector<SampleError>& warnings) {
    warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
  }
  void lose(const SampleError& error) {
    lost_.push_back(error);
    show({error.key.index, in_words_of(error), Fate::failed, ""});
  }
  // Sample `by` replaces the failed one; `note` describes what was done to it, `result` is the
  // file.
  void replace(const SampleError& error, std::int64_t by, const std::string& note,
               const std::string& result);
  void deliver(std::int64_t sample, const std::string& note, bool changed,
               const std::string& result) {
    show({sample, note, changed ? Fate::changed : Fate::unchanged, result});
  }

  std::int64_t lost() const { return static_cast<std::int64_t>(lost_.size()); }
  std::int64_t replaced() const { return static_cast<std::int64_t>(replaced_.size()); }
  bool has_problems() const { return !warnings_.empty() || !replaced_.empty() || !lost_.empty(); }
  // The reason of the first lost sample.
  std::string first_loss() const { return reason(lost_.front()); }
  // Prints the warnings, the replaced samples and the lost ones.
  void print_problems() const;
  // Prints the files and folders of the dataset that are not read.
  void print_left_out() const;
  // The number of samples on the sheet.
  std::size_t shown() const { return shown_.size(); }
  Image draw_sheet(const std::string& title, const std::string& caption) const;

 private:
  // A row of the sheet, drawn when the run is over.
  struct Shown {
    std::int64_t sample;
    std::string note;
    Fate fate;
    std::string result;  // a file; empty: none
  };
  void show(Shown shown) {
    if (shown_.size() < kMostTiles) shown_.push_back(std::move(shown));
  }
  // Images with boxes and masks drawn in; empty if there is no image.
  Image before(const Shown& shown) const;
  static Image after(const Shown& shown);
  static std::string in_words_of(const SampleError& error);
  std::string reason(const SampleError& error) const;

  const Dataset& dataset_;
  std::vector<SampleError> lost_;
  std::vector<SampleError> warnings_;
  std::vector<std::pair<SampleError, std::int64_t>> replaced_;  // with its replacement sample
  std::vector<Shown> shown_;
};

}  // namespace sluice::app
