#include <sluice/runtime/error.h>
#include <sluice/runtime/text.h>

#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace escape_control_chars_test {

TEST(Printable, EscapesWhatIsNoCharacterToShow) {
  const struct {
    std::string name;
    std::string shown;
  } cases[] = {
      {"", ""},
      {"photos/cat 1.jpg", "photos/cat 1.jpg"},
      {"a\\n.jpg", "a\\n.jpg"},
      {"a\nb\tc\rd", "a\\nb\\tc\\rd"},
      {"\x1b[2J\x7f", "\\x1b[2J\\x7f"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"K\xc3\xa4tzchen \xe7\x8c\xab \xf0\x9f\x90\x88",
       "K\xc3\xa4tzchen \xe7\x8c\xab \xf0\x9f\x90\x88"},
      {"\xc2\x9b"
       "2J",
       "\\xc2\\x9b2J"},  // U+009B, a control character
      {"\x9b"
       "2J\xff",
       "\\x9b2J\\xff"},  // no UTF-8
      {"\xe2\x80\xae"
       "gpj",
       "\\xe2\\x80\\xaegpj"},                                 // turns the direction of writing
      {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},                    // a line's end
      {"\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf"},  // longer than need be
      {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"},
      {"cut\xe7\x8c", "cut\\xe7\\x8c"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(escape_control_chars(c.name), c.shown);
    EXPECT_EQ(escape_control_chars(escape_control_chars(c.name)), c.shown);
  }
}

TEST(Printable, ErrorsOfSamplesShowNamesSo) {
  SampleError error;
  error.key.index = 1;
  error.source = "a\n\x1b[2J.jpg";
  error.step = "read";
  error.what = "gone";
  EXPECT_EQ(to_string(error),
            "sample 1 (a\\n\\x1b[2J.jpg) failed in step 'read': gone [seed 0, epoch 0]");
  EXPECT_EQ(error.source, "a\n\x1b[2J.jpg");  // as data it is the name
}

// Errors of operators begin with the operator's name.
TEST(ErrorTexts, NameTheStepOnce) {
  const struct {
    const char *step, *what, *shown;
  } cases[] = {
      {"crop", "crop: too large", "'crop': too large"},
      {"crop#2", "crop: too large", "'crop#2': too large"},
      {"crop", "cropped: too large", "'crop': cropped: too large"},
      {"mine", "crop: too large", "'mine': crop: too large"},
      {"", ": too large", "'': too large"},
      {"crop", "crop", "'crop': crop"},
  };
  for (const auto& c : cases) {
    SampleError error;
    error.key.index = 3;
    error.step = c.step;
    error.what = c.what;
    EXPECT_EQ(to_string(error),
              "sample 3 failed in step " + std::string(c.shown) + " [seed 0, epoch 0]");
    EXPECT_EQ(BatchError(2, {error}, "; do this").what(),
              "batch 2: 1 sample failed: " + to_string(error) + "; do this");
  }
}

}  // namespace escape_control_chars_test
}  // namespace sluice
