// Report: what became of the samples of `sluice augment`: what is told at the end, and the contact
// sheet.
//
// Ownership: refers to the dataset. Threads: one. No errors but those of drawing.
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
  // The first samples are shown on the sheet.
  static constexpr std::size_t kMostTiles = 24;

  explicit Report(const Dataset& dataset) : dataset_(dataset) {}

  void warn(const std::vector<SampleError>& warnings) {
    warnings_.insert(warnings_.end(), warnings.begin(), warnings.end());
  }
  void lose(const SampleError& error) {
    lost_.push_back(error);
    show({error.key.index, in_words_of(error), Fate::failed, ""});
  }
  // Sample `by` stands in; `note` is what was done to it, and `result` the file.
  void replace(const SampleError& error, std::int64_t by, const std::string& note,
               const std::string& result);
  void deliver(std::int64_t sample, const std::string& note, bool changed,
               const std::string& result) {
    show({sample, note, changed ? Fate::changed : Fate::unchanged, result});
  }

  std::int64_t lost() const { return static_cast<std::int64_t>(lost_.size()); }
  std::int64_t replaced() const { return static_cast<std::int64_t>(replaced_.size()); }
  bool has_problems() const { return !warnings_.empty() || !replaced_.empty() || !lost_.empty(); }
  // Of the first sample that was lost.
  std::string first_loss() const { return reason(lost_.front()); }
  // What was warned of, replaced and lost.
  void print_problems() const;
  // The files and folders of the dataset that are not read.
  void print_left_out() const;
  // How many samples the sheet shows.
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
  // Pictures with their boxes and masks; empty where there is nothing to see.
  Image before(const Shown& shown) const;
  static Image after(const Shown& shown);
  static std::string in_words_of(const SampleError& error);
  std::string reason(const SampleError& error) const;

  const Dataset& dataset_;
  std::vector<SampleError> lost_;
  std::vector<SampleError> warnings_;
  std::vector<std::pair<SampleError, std::int64_t>> replaced_;  // with the sample that stood in
  std::vector<Shown> shown_;
};

}  // namespace sluice::app
