#include <sluice/ops/decode.h>
#include <sluice/ops/operator.h>

#include <memory>

namespace sluice {
namespace {

// The work of a decode step: on the whole picture, on a window, on its size.
template <class Source>
class Decoder {
 public:
  Decoder(const Value<Source>& jpeg, const JpegOptions& options)
      : jpeg_(jpeg.slot()), options_(options) {}

  void whole(Frame& frame, SlotId out) const {
    note(frame, decode_jpeg_image(file(frame), options_, frame.get<Image>(out)));
  }
  void part(Frame& frame, const Window& window, SlotId out) const {
    note(frame, decode_jpeg_region(file(frame), window, options_, frame.get<Image>(out)));
  }
  void size(Frame& frame, SlotId out) const {
    const JpegHeader header = peek_jpeg(file(frame));
    const bool turned = options_.apply_orientation;
    frame.get<Image>(out) = Image::size_only(turned ? header.oriented_height() : header.height,
                                             turned ? header.oriented_width() : header.width,
                                             options_.color == ColorSpace::rgb ? 3 : 1);
  }

 private:
  ByteSpan file(const Frame& frame) const { return ByteSpan(frame.get<Source>(jpeg_)); }
  static void note(Frame& frame, const JpegReport& report) {
    frame.note(static_cast<std::size_t>(report.path));
    if (report.damaged) frame.warn(report.warning);
  }

  const SlotId jpeg_;
  const JpegOptions options_;
};

template <class Source, class... Args>
Step begin_decode(const Value<Source>& jpeg, const Args&... args) {
  Graph g = detail::graph_of(jpeg);
  Step step =
      detail::begin_step<Value<Source>, Args...>(g.recorder(), "decode_jpeg", jpeg, args...);
  for (const JpegPath path : kJpegPaths) step.events.emplace_back(name_of(path));
  return step;
}

template <class Source>
Value<JpegHeader> peek(Value<Source> jpeg) {
  return detail::graph_of(jpeg).map(
      "peek_jpeg", [](const Source& file) { return peek_jpeg(ByteSpan(file)); }, jpeg);
}

template <class Source>
Value<Image> decode(Value<Source> jpeg, const JpegOptions& options) {
  Step step = begin_decode(jpeg);
  Recorder& recorder = jpeg.recorder();
  const Value<Image> image = detail::results<Image>::add(recorder, step);
  const auto decoder = std::make_shared<const Decoder<Source>>(jpeg, options);
  step.run = [decoder, out = image.slot()](Frame& frame) { decoder->whole(frame, out); };
  PictureMaker makes;
  makes.size = [decoder](Frame& frame, SlotId out) { decoder->size(frame, out); };
  makes.part = [decoder](Frame& frame, const Window& window, SlotId out) {
    decoder->part(frame, window, out);
  };
  step.makes = std::make_shared<const PictureMaker>(std::move(makes));
  recorder.add_step(std::move(step));
  return image;
}

template <class Source>
Value<Image> decode(Value<Source> jpeg, Param<Window> window, const JpegOptions& options) {
  Step step = begin_decode(jpeg, window);
  Recorder& recorder = jpeg.recorder();
  const Value<Image> image = detail::results<Image>::add(recorder, step);
  step.run = [decoder = Decoder<Source>(jpeg, options), window, out = image.slot()](Frame& frame) {
    decoder.part(frame, window.of(frame), out);
  };
  recorder.add_step(std::move(step));
  return image;
}

}  // namespace

Value<JpegHeader> peek_jpeg(Value<Bytes> jpeg) { return peek(jpeg); }
Value<JpegHeader> peek_jpeg(Value<ByteSpan> jpeg) { return peek(jpeg); }
Value<Image> decode_jpeg(Value<Bytes> jpeg, const JpegOptions& options) {
  return decode(jpeg, options);
}
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, const JpegOptions& options) {
  return decode(jpeg, options);
}
Value<Image> decode_jpeg(Value<Bytes> jpeg, Param<Window> window, const JpegOptions& options) {
  return decode(jpeg, window, options);
}
Value<Image> decode_jpeg(Value<ByteSpan> jpeg, Param<Window> window, const JpegOptions& options) {
  return decode(jpeg, window, options);
}

}  // namespace sluice
