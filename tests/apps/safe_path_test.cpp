#include "apps/output_paths.h"

#include <string>

#include <gtest/gtest.h>

namespace sluice::app {
namespace safe_path_test {

TEST(SafePath, StaysBelow) {
  const std::string a200(200, 'a');
  const struct {
    std::string name;
    std::string path;
  } cases[] = {
      {"a.jpg", "a.jpg"},
      {"cats/a.jpg", "cats/a.jpg"},
      {"../a.jpg", "a.jpg"},
      {"../../etc/passwd", "etc/passwd"},
      {"/etc/passwd", "etc/passwd"},
      {"a/../../b", "a/b"},
      {"./a//b/.", "a/b"},
      {"..", "_"},
      {"/", "_"},
      {"", "_"},
      {"...", "_.."},
      {".ssh/.key", "_ssh/_key"},
      {"a\nb/c\x1b[2J\x7f", "a_b/c_[2J_"},
      {"\xc3\xa4/b", "\xc3\xa4/b"},
      {"b" + a200, a200},
      {"\xc3\xa4" + a200.substr(1), a200.substr(1)},  // no half of a letter
      {a200 + "/" + a200 + "/" + a200 + "/" + a200 + "/" + a200,
       a200 + "/" + a200 + "/" + a200 + "/" + a200},
  };
  for (const auto& c : cases) EXPECT_EQ(safe_path(c.name), c.path) << c.name;
}

}  // namespace safe_path_test
}  // namespace sluice::app
