// SLUICE_JPEG=stock: libjpeg reads all codes. Packed JPEGs are unpacked for it.
#include "tests/error_of.h"
#include "tests/io/images.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/packs/pack_jpeg.h>

#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace stock_test {

// One test, in a suite of its own: the environment counts when the first file is decoded.
TEST(StockJpeg, LimitsAreCheckedBeforeAPackedJpegIsUnpacked) {
  (void)::setenv("SLUICE_JPEG", "stock", 1);
  const bool usable = jpeg_entropy_is_usable();
  (void)::unsetenv("SLUICE_JPEG");
  if (usable) GTEST_SKIP() << "another test has decoded a file";
  const Bytes file = encode_jpeg(draw_image(60, 100, 3), {.quality = 90});
  const auto coefficients = JpegCoefficients::read(file);
  ASSERT_TRUE(coefficients);
  std::vector<std::uint8_t> packed = pack_jpeg(*coefficients, PackTokenLearner().learn());
  Image expected, image;
  decode_jpeg_image(file, {}, expected);
  EXPECT_EQ(decode_jpeg_image(packed, {.max_output_bytes = 36000}, image).path, JpegPath::library);
  EXPECT_EQ(image, expected);
  // Unpacking holds the coefficients, with 2 bytes each. The part that is damaged here is needed
  // only for unpacking.
  packed.back() = static_cast<std::uint8_t>(packed.back() ^ 1);
  const auto error = [&](std::int64_t most) {
    return error_of<JpegError>(
        [&] { decode_jpeg_image(packed, {.max_output_bytes = most}, image); });
  };
  EXPECT_NE(error(36000).find("damaged"), std::string::npos);
  EXPECT_EQ(error(35999),
            "100 x 60 pixels need 36000 bytes to be unpacked, more than the limit of 35999 bytes; "
            "raise max_output_bytes");
}

TEST(JpegSelfTest, AnUnknownWishIsRefused) {
  (void)::setenv("SLUICE_JPEG", "stok", 1);
  EXPECT_EQ(error_of<Error>([] { (void)jpeg_entropy_works(); }),
            "SLUICE_JPEG is 'stok'; set it to stock, so that libjpeg decodes all, or unset it");
  (void)::unsetenv("SLUICE_JPEG");
  EXPECT_NO_THROW((void)jpeg_entropy_works());
}

}  // namespace stock_test
}  // namespace sluice
