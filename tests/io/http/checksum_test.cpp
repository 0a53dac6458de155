// Checksums of known texts, and their forms in lists and in servers' replies.
#include "tests/error_of.h"
#include <sluice/io/http/request.h>
#include <sluice/io/readers/csv_cell.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace checksum_test {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The test suites of RFC 1321 and FIPS 180-4, and of the catalog of CRCs.
TEST(Checksum, KnownSums) {
  if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
  const struct {
    std::string text;
    Checksum::Kind kind;
    const char* digits;
  } all[] = {
      {"", Checksum::Kind::md5, "d41d8cd98f00b204e9800998ecf8427e"},
      {"abc", Checksum::Kind::md5, "900150983cd24fb0d6963f7d28e17f72"},
      {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
       Checksum::Kind::md5, "57edf4a22be3c955ac49da2e2107b67a"},
      {"", Checksum::Kind::sha256,
       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", Checksum::Kind::sha256,
       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", Checksum::Kind::sha256,
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"123456789", Checksum::Kind::crc32, "cbf43926"},
      {"123456789", Checksum::Kind::crc32c, "e3069283"},
      {"", Checksum::Kind::crc32c, "00000000"},
  };
  for (const auto& one : all)
    EXPECT_EQ((Checksum{one.kind, {}}.digits_of(bytes_of(one.text))), one.digits) << one.text;
}

TEST(Checksum, Texts) {
  EXPECT_FALSE(Checksum::of_text("").has_value());
  const auto named = Checksum::of_text("CRC32C:E3069283");
  ASSERT_TRUE(named.has_value());
  EXPECT_STREQ(named->name(), "crc32c");
  EXPECT_EQ(named->digits, "e3069283");
  EXPECT_STREQ(Checksum::of_text(std::string(64, 'a'))->name(), "sha256");
  EXPECT_STREQ(Checksum::of_text(std::string(32, '0'))->name(), "md5");
  for (const char* text :
       {"e3069283", "crc32:", "crc32:e30692", "md4:900150983cd24fb0d6963f7d28e17f72",
        "crc32:e306928g", "sha256:900150983cd24fb0d6963f7d28e17f72", ":"}) {
    const std::string error = error_of<CellError>([&] { (void)Checksum::of_text(text); });
    EXPECT_NE(error.find(std::string("'") + text + "' is not a checksum"), std::string::npos)
        << error;
  }
}

TEST(Checksum, FieldsOfAnswers) {
  const struct {
    const char* name;
    const char* value;
    std::string sum;  // empty: none
  } all[] = {
      {"Content-MD5", "kAFQmDzST7DWlj99KOF/cg==", "md5:900150983cd24fb0d6963f7d28e17f72"},
      {"content-md5", "kAFQmDzST7DWlj99KOF/", ""},
      {"content-md5", "!!!!", ""},
      {"X-Amz-Checksum-CRC32C", "4waSgw==", "crc32c:e3069283"},
      {"x-amz-checksum-crc32", "y/Q5Jg==", "crc32:cbf43926"},
      {"x-amz-checksum-sha256", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
       "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      // A checksum of an upload's parts, not of the file.
      {"x-amz-checksum-sha256", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=-3", ""},
      {"x-amz-checksum-type", "FULL_OBJECT", ""},
      {"x-goog-hash", "crc32c=4waSgw==", "crc32c:e3069283"},
      {"x-goog-hash",
       "md5=kAFQmDzST7DWlj99KOF/cg==,crc32c=4waSgw==", "md5:900150983cd24fb0d6963f7d28e17f72"},
      {"x-goog-hash", "nonsense", ""},
      {"etag", "\"900150983cd24fb0d6963f7d28e17f72\"", ""},
  };
  for (const auto& one : all) {
    const auto sum = Checksum::of_field(one.name, one.value);
    EXPECT_EQ(sum ? sum->name() + (":" + sum->digits) : "", one.sum) << one.name << one.value;
  }
}

}  // namespace checksum_test
}  // namespace sluice::detail
