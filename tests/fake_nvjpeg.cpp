#include "fake_nvjpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <jpeglib.h>

namespace {

using sluice::testing::FakeNvjpeg;
using sluice::testing::FakeStream;

constexpr int kInvalid = 2, kBadJpeg = 3, kFailed = 6, kNoEngine = 7;
constexpr int kHardware = 3;

FakeNvjpeg fake;

struct Handle {
  int backend;
};
struct State {
  FakeStream* stream = nullptr;  // of its last batch
  int batch = 0;
};
struct Header {
  unsigned width = 0, height = 0;
  bool progressive = false;
};
struct Image {
  unsigned char* channel[4];
  std::size_t pitch[4];
};

struct Errors {
  jpeg_error_mgr base;
  std::jmp_buf out;
};

// Reads the header, and the pixels if `to` is an image.
int read(const unsigned char* data, std::size_t length, Header& header, const Image* to) {
  jpeg_decompress_struct info{};
  Errors errors{};
  info.err = jpeg_std_error(&errors.base);
  errors.base.error_exit = [](j_common_ptr common) {
    std::longjmp(reinterpret_cast<Errors*>(common->err)->out, 1);
  };
  errors.base.emit_message = [](j_common_ptr, int) {};
  if (setjmp(errors.out) != 0) {
    jpeg_destroy_decompress(&info);
    return kBadJpeg;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, data, static_cast<unsigned long>(length));
  (void)jpeg_read_header(&info, TRUE);
  header = {info.image_width, info.image_height, info.progressive_mode != 0};
  if (to != nullptr) {
    info.out_color_space = JCS_RGB;
    (void)jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = to->channel[0] + to->pitch[0] * info.output_scanline;
      (void)jpeg_read_scanlines(&info, &row, 1);
    }
  }
  jpeg_destroy_decompress(&info);
  return 0;
}

template <class T>
int make(void** made) {
  ++fake.objects;
  *made = new T();
  return 0;
}
template <class T>
int destroy(void* object) {
  --fake.objects;
  delete static_cast<T*>(object);
  return 0;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): nvJPEG's names
extern "C" {

FakeNvjpeg* fake_nvjpeg() { return &fake; }

int nvjpegGetProperty(int which, int* value) {
  *value = which == 0 ? 99 : which;
  return 0;
}
int nvjpegCreateEx(int backend, void*, void*, unsigned flags, void** handle) {
  if (flags != 0) return kInvalid;
  if ((fake.refused_backends >> backend & 1u) != 0) return kNoEngine;
  (void)make<Handle>(handle);
  static_cast<Handle*>(*handle)->backend = backend;
  return 0;
}
int nvjpegDestroy(void* handle) { return destroy<Handle>(handle); }
int nvjpegGetHardwareDecoderInfo(void*, unsigned* engines, unsigned* cores) {
  *engines = 7;
  *cores = 1;
  return 0;
}
int nvjpegJpegStateCreate(void*, void** state) {
  return fake.refuses_states ? kFailed : make<State>(state);
}
int nvjpegJpegStateDestroy(void* state) { return destroy<State>(state); }
int nvjpegJpegStreamCreate(void*, void** jpeg) { return make<Header>(jpeg); }
int nvjpegJpegStreamDestroy(void* jpeg) { return destroy<Header>(jpeg); }
int nvjpegJpegStreamParseHeader(void*, const unsigned char* data, std::size_t length, void* jpeg) {
  return read(data, length, *static_cast<Header*>(jpeg), nullptr);
}
int nvjpegJpegStreamGetFrameDimensions(void* jpeg, unsigned* width, unsigned* height) {
  *width = static_cast<Header*>(jpeg)->width;
  *height = static_cast<Header*>(jpeg)->height;
  return 0;
}
int nvjpegJpegStreamGetJpegEncoding(void* jpeg, int* encoding) {
  *encoding = static_cast<Header*>(jpeg)->progressive ? 0xc2 : 0xc0;
  return 0;
}
int nvjpegDecodeBatchedSupported(void* handle, void*, int* not_supported) {
  *not_supported = static_cast<Handle*>(handle)->backend == kHardware ? 0 : 1;
  return 0;
}
int nvjpegDecodeBatchedInitialize(void*, void* state, int batch, int, int format) {
  static_cast<State*>(state)->batch = batch;
  return format == 5 ? 0 : kInvalid;
}
int nvjpegDecodeBatched(void*, void* state, const unsigned char* const* data,
                        const std::size_t* lengths, Image* images, void* cuda_stream) {
  State& of = *static_cast<State*>(state);
  auto* const stream = static_cast<FakeStream*>(cuda_stream);
  if (of.stream != nullptr && of.stream->under_way > 0) ++fake.reused;
  if (of.batch == 0) ++fake.not_ready;
  if (fake.fails_after == 0) {
    of.batch = 0;
    return kFailed;
  }
  fake.fails_after -= fake.fails_after > 0 ? 1 : 0;
  of.stream = stream;
  ++stream->under_way;
  fake.most_under_way = std::max(fake.most_under_way, ++fake.under_way);
  ++fake.batches;
  fake.files += of.batch;
  const int shown = of.batch - (of.batch >= fake.loses_from ? 1 : 0);
  for (int i = 0; i < shown; ++i) {
    Header header;
    int status = read(data[i], lengths[i], header, &images[i]);
    if (header.width == fake.refused_width) status = kBadJpeg;
    if (status == 0) continue;
    of.batch = 0;  // it must be made ready anew
    return status;
  }
  return 0;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
