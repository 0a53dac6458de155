// The checks before a part of libjpeg is replaced: it must be where it is expected.
#include "tests/io/images.h"
#include <sluice/io/jpeg/decompressor.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/io/jpeg/libjpeg.h>

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

namespace sluice {
namespace library_entropy_test {

class JpegLibraryEntropy : public ::testing::Test {
 protected:
  void SetUp() override {
    decompressor_.open(file_, {});
    decompressor_.start();
  }
  jpeg_decompress_struct& info() { return decompressor_.info(); }

  Bytes file_ = encode_jpeg(draw_image(20, 30, 3));
  JpegDecompressor decompressor_;
};

boolean of_this_program(j_decompress_ptr, JBLOCKROW*) { return TRUE; }

TEST_F(JpegLibraryEntropy, OfTheLibraryAtHandIsKnown) { EXPECT_TRUE(has_known_entropy(info())); }

// Objects of libraries whose decoders begin in another way.
TEST_F(JpegLibraryEntropy, OtherBeginningsAreNot) {
  const auto word = [](auto value) { return reinterpret_cast<std::uintptr_t>(value); };
  struct Words {
    std::uintptr_t at[2];
  };
  Words found{};
  std::memcpy(&found, info().entropy, sizeof(LibraryEntropy));
  const auto start_pass = found.at[0];
  const auto decode_mcu = found.at[1];
  const auto data = word(info().err->jpeg_message_table);
  struct Case {
    const char* what;
    Words words;
    bool known;
  };
  const Case cases[] = {
      {"as it is", {{start_pass, decode_mcu}}, true},
      {"nothing", {{0, 0}}, false},
      {"a number first", {{1, start_pass}}, false},
      {"one function only", {{start_pass, 0}}, false},
      {"the same function twice", {{start_pass, start_pass}}, false},
      {"data of the library", {{start_pass, data}}, false},
      {"memory", {{start_pass, word(&found)}}, false},
      {"another module's function", {{start_pass, word(&of_this_program)}}, false},
  };
  auto* const real = info().entropy;
  for (const Case& c : cases) {
    Words words = c.words;
    info().entropy = reinterpret_cast<decltype(info().entropy)>(&words);
    EXPECT_EQ(has_known_entropy(info()), c.known) << c.what;
  }
  info().entropy = nullptr;
  EXPECT_FALSE(has_known_entropy(info()));
  info().entropy = real;
}

}  // namespace library_entropy_test
}  // namespace sluice
