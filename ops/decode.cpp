#include <sluice/ops/decode.h>
#include <sluice/ops/operator.h>

namespace sluice {
namespace {

template <class Source>
Value<JpegHeader> peek(Value<Source> jpeg) {
  return detail::graph_of(jpeg, "peek_jpeg")
      .map(
          "peek_jpeg", [](const Source& file) { return peek_jpeg(ByteSpan(file)); }, jpeg);
}

template <class Source>
Value<Image> decode(Value<Source> jpeg, const JpegOptions& options) {
  return detail::graph_of(jpeg, "decode_jpeg")
      .template map_into<Image>(
          "decode_jpeg",
          [options](const Source& file, Image& out) { decode_jpeg_image(file, options, out); },
          jpeg);
}

template <class Source>
Value<Image> decode(Value<Source> jpeg, Param<Window> window, const JpegOptions& options) {
  return detail::graph_of(jpeg, "decode_jpeg")
      .template map_into<Image>(
          "decode_jpeg",
          [options](const Source& file, const Window& part, Image& out) {
            decode_jpeg_region(file, part, options, out);
          },
          jpeg, window);
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
