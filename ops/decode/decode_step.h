// Steps that decode JPEG files: which way each picture was read is counted as an event of the step,
// and what a tolerant decoder has to say becomes a warning about the sample. So is what is wrong
// with an index, but as a warning only once a step: it may concern every file. For operators only.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/operator.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace sluice::detail {

// What knows where things are in the file; null when nothing does.
inline JpegIndex* index_of(const Bytes& file) { return file.index(); }
inline JpegIndex* index_of(std::span<const std::uint8_t>) { return nullptr; }

// Says what there is to be said of a picture. Shared by the steps that stand for one decoder.
class DecodeNotes {
 public:
  static void name_events(Step& step) {
    for (const JpegPath path : kJpegPaths) step.events.emplace_back(name_of(path));
    step.events.emplace_back("index_damaged");
  }
  void operator()(Sample& sample, const JpegReport& report) const {
    sample.note(static_cast<std::size_t>(report.path));
    if (report.damaged) sample.warn(report.warning);
    if (report.index_damage.empty()) return;
    sample.note(std::size(kJpegPaths));
    if (warned_->exchange(true, std::memory_order_relaxed)) return;
    sample.warn(report.index_damage +
                "; files are decoded without it where it is damaged, which is said this once");
  }

 private:
  std::shared_ptr<std::atomic<bool>> warned_ = std::make_shared<std::atomic<bool>>(false);
};

// A step that is about to be recorded, and its picture: JpegReport decode(file, args..., out).
template <class Source, class Decode, class... Args>
std::pair<Step, Value<Image>> begin_decode(std::string_view name, const Value<Source>& jpeg,
                                           const DecodeNotes& note, Decode decode, Args... args) {
  Graph g = graph_of(jpeg, name);
  Step step = begin_step<Value<Source>, Args...>(g.recorder(), name, jpeg, args...);
  DecodeNotes::name_events(step);
  const Value<Image> image = results<Image>::add(g.recorder(), step);
  step.run = [note, decode = std::move(decode), jpeg, out = image.slot(),
              ... args = std::move(args)](Sample& sample) {
    note(sample, decode(sample.get<Source>(jpeg.slot()), argument<Args>::of(args, sample)...,
                        sample.get<Image>(out)));
  };
  return {std::move(step), image};
}

}  // namespace sluice::detail
