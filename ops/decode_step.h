// Steps that decode JPEG files: which way each picture was read is counted as an event of the step,
// and what a tolerant decoder has to say becomes a warning about the sample. For operators only.
#pragma once

#include <sluice/io/jpeg_decode.h>
#include <sluice/ops/operator.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace sluice::detail {

// What knows where things are in the file; null when nothing does.
inline JpegIndex* index_of(const Bytes& file) { return file.index(); }
inline JpegIndex* index_of(std::span<const std::uint8_t>) { return nullptr; }

inline void note(Frame& frame, const JpegReport& report) {
  frame.note(static_cast<std::size_t>(report.path));
  if (report.damaged) frame.warn(report.warning);
}

// A step that is about to be recorded, and its picture: JpegReport decode(file, args..., out).
template <class Source, class Decode, class... Args>
std::pair<Step, Value<Image>> begin_decode(std::string_view name, const Value<Source>& jpeg,
                                           Decode decode, Args... args) {
  Graph g = graph_of(jpeg, name);
  Step step = begin_step<Value<Source>, Args...>(g.recorder(), name, jpeg, args...);
  for (const JpegPath path : kJpegPaths) step.events.emplace_back(name_of(path));
  const Value<Image> image = results<Image>::add(g.recorder(), step);
  step.run = [decode = std::move(decode), jpeg, out = image.slot(),
              ... args = std::move(args)](Frame& frame) {
    note(frame, decode(frame.get<Source>(jpeg.slot()), argument<Args>::of(args, frame)...,
                       frame.get<Image>(out)));
  };
  return {std::move(step), image};
}

}  // namespace sluice::detail
