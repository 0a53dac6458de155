// The plainest use of libjpeg, as a reference. It has default settings (but perhaps a scale of 1 /
// shrink), processes one row after the other, and ignores warnings. It is for files without a fatal
// error of libjpeg, which would end the test program.
#pragma once

#include <sluice/runtime/image.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <jpeglib.h>

namespace sluice {

inline Image reference_decode(std::span<const std::uint8_t> file, J_COLOR_SPACE color = JCS_RGB,
                              unsigned shrink = 1) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  errors.emit_message = [](j_common_ptr, int) {};
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, file.data(), static_cast<unsigned long>(file.size()));
  jpeg_read_header(&info, TRUE);
  info.out_color_space = color;
  info.scale_num = 1;
  info.scale_denom = shrink;
  jpeg_start_decompress(&info);
  Image image(static_cast<int>(info.output_height), static_cast<int>(info.output_width),
              info.output_components);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = image.row(static_cast<int>(info.output_scanline));
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return image;
}

// Encodes pixels of the color space `space`. set_up(info) may change the settings.
template <class SetUp>
std::vector<std::uint8_t> reference_encode(const Image& image, J_COLOR_SPACE space, int quality,
                                           const SetUp& set_up) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = static_cast<JDIMENSION>(image.width());
  info.image_height = static_cast<JDIMENSION>(image.height());
  info.input_components = image.channels();
  info.in_color_space = space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  set_up(info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<std::uint8_t> file(data, data + size);
  std::free(data);
  return file;
}

// Encodes pixels of four channels as a CMYK file, without loss if blocks of 8 x 8 are flat.
inline std::vector<std::uint8_t> reference_encode_cmyk(const Image& image) {
  return reference_encode(image, JCS_CMYK, 100, [](jpeg_compress_struct&) {});
}

}  // namespace sluice
