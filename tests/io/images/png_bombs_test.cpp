// PNG files that hold much compressed data beside their image.
#include "tests/io/images/png_writer.h"
#include <sluice/io/images/decode_image.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace sluice {
namespace png_bombs_test {

std::span<const std::uint8_t> bytes_of(std::string_view file) {
  return {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
}

Image decoded(std::string_view file) {
  Image out;
  decode_image_file(bytes_of(file), {}, out);
  return out;
}

// 7.9 million letters in 50 kB: a deflate stream with fixed codes that repeats 258 bytes again and
// again.
std::string letters_in_little() {
  std::string stream = "\x78\x01";
  unsigned byte = 0;
  int filled = 0;
  const auto put = [&](unsigned code, int bits) {  // its highest bit comes first
    while (bits-- > 0) {
      byte |= (code >> bits & 1U) << filled;
      if (++filled < 8) continue;
      stream += static_cast<char>(byte);
      byte = 0;
      filled = 0;
    }
  };
  constexpr int kRepeats = 30'620;
  put(1, 1);     // the last block
  put(2, 2);     // of fixed codes (01, the lower bit first)
  put(0x91, 8);  // 'a'
  for (int i = 0; i < kRepeats; ++i) put(0xc5 << 5, 13);  // 258 times the byte before
  put(0, 7);
  put(0, 7);
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  for (int i = 0; i < 1 + 258 * kRepeats; ++i) b += a = (a + 'a') % 65521;
  return stream + png_number(static_cast<std::uint32_t>(b % 65521 << 16 | a));
}

long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// Compressed texts and profiles in a small file are not even decompressed.
TEST(DecodeImage, BombsInTextsOfPngFilesDoNotGoOff) {
  if (!can_decode(ImageFormat::png)) GTEST_SKIP() << "this build decodes no PNG";
  const std::string little = letters_in_little();
  const std::string chunks[] = {
      png_chunk("zTXt", "Comment" + std::string(2, '\0') + little),
      png_chunk("iTXt", "Comment" + std::string("\0\1\0\0\0", 5) + little),
      png_chunk("iCCP", "Comment" + std::string(2, '\0') + little)};
  PngImage image;
  image.width = 7;
  image.height = 5;
  image.level = [](int y, int x, int c) { return static_cast<unsigned>(y * 30 + x * 9 + c); };
  const Image plain = decoded(png_file(image));
  for (const std::string& chunk : chunks) {
    image.before_data.clear();
    for (int i = 0; i < 40; ++i) image.before_data += chunk;
    const std::string file = png_file(image);
    const long before = peak_megabytes();
    EXPECT_TRUE(decoded(file) == plain);
    EXPECT_EQ(peek_image(bytes_of(file)).width, 7);
    EXPECT_LT(peak_megabytes(), before + 100) << "of 316 MB of text";
  }
}

}  // namespace png_bombs_test
}  // namespace sluice
