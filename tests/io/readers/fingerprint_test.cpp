#include <sluice/io/readers/fingerprint.h>

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sluice::detail {
namespace fingerprint_test {

TEST(Fingerprint, TellsPartsAndWhereTheyEnd) {
  const std::string known = Fingerprint().add("ab").add("c").text();
  EXPECT_EQ(known.size(), 16U);
  EXPECT_EQ(known, Fingerprint().add("ab").add("c").text());
  const std::set<std::string> all = {known,
                                     Fingerprint().text(),
                                     Fingerprint().add("").text(),
                                     Fingerprint().add("abc").text(),
                                     Fingerprint().add("a").add("bc").text(),
                                     Fingerprint().add("c").add("ab").text(),
                                     Fingerprint().add("ab").add("c").add("").text(),
                                     Fingerprint().add(std::uint64_t{7}).text()};
  EXPECT_EQ(all.size(), 8U);
}

}  // namespace fingerprint_test
}  // namespace sluice::detail
