// Every example runs, and prints what it is meant to show.
#include "demo_folder.h"
#include "program.h"

#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace sluice::app {
namespace examples_test {

struct Example {
  const char* name;
  bool images;                     // takes a folder of images
  std::vector<std::string> lines;  // among others
};

const Example kExamples[] = {
    {"async_by_hand",
     false,
     {"12 requests answered, 3 turned away; 15 were under way at once on one thread"}},
    {"batch_by_hand", false, {"batch 0: 0 1 2 3", "batch 2: 8 9"}},
    {"error_policies",
     false,
     {"  batch 0: 0 1 2 3",
      "  batch 1: 4 6 7  [sample 5 failed in step 'risky': five is right out [seed 0, epoch 0]]"}},
    {"explicit_boundaries", false, {" 3 after  7 rounds: 1  ( 3 10 5 16 8 4 2 )"}},
    {"loop_by_hand", false, {"the longest walk starts at 871 and takes 178 steps"}},
    {"nested_choices",
     true,
     {"1.50 times as wide as high: made lighter", "1.33 times as wide as high: left as it is",
      "0.75 times as wide as high: turned by a quarter", "1.00 times as wide as high: mirrored"}},
    {"on_a_gpu", false, {"64 tensors"}},
    {"predicate_by_hand", false, {}},  // numbers in any order
    {"quality_loop", true, {}},        // bytes are a matter of the library
    {"rotate_some", true, {"14 images of 400 x 400, 14 labels"}},
    {"select_by_hand", false, {"sum 84475; 25 tokens asked for a port that is not there"}},
    {"select_some", false, {"branch 1:  13  12  11  10", "branch 2:  30  32  33  35"}},
    {"short_circuit", true, {"14 images, 1 large and dark; 3 had to be decoded"}},
    {"stream_by_hand", false, {"100 rows mirrored"}},
    {"structures", true, {"turned by  18.2 degrees", "left as it is"}},
#ifdef SLUICE_HAS_EXAMPLE_torch
    {"torch", true, {"14 images and 14 labels, not copied: 8 features of each"}},
#endif
#ifdef SLUICE_HAS_EXAMPLE_onnxruntime
    {"onnxruntime", true, {"14 images: 3 numbers for each"}},
#endif
#ifdef SLUICE_HAS_EXAMPLE_opencv
    {"opencv", true, {"14 images"}},
#endif
    {"workers", false, {"batch 0: 0 1 4 9", "batch 1: 16 36 49, without sample 5 of 'squares'"}},
    {"window_by_hand", false, {"1000 samples through 8 slots, sum of squares 332833500"}},
};

TEST(Examples, RunAndShowWhatTheyAreAbout) {
  const std::string images = write_demo_images().string();
  for (const Example& example : kExamples) {
    const Ran ran = run_command(std::string(SLUICE_EXAMPLE_PREFIX) + example.name +
                                (example.images ? " " + images : ""));
    EXPECT_EQ(ran.status, 0) << example.name << ": " << ran.errors;
    EXPECT_EQ(ran.errors, "") << example.name;
    EXPECT_NE(ran.out, "") << example.name;
    for (const std::string& line : example.lines) {
      EXPECT_NE(("\n" + ran.out).find("\n" + line + "\n"), std::string::npos)
          << example.name << " does not print '" << line << "' but\n"
          << ran.out;
    }
  }
}

TEST(Examples, SayWhatIsWrongWithTheFolder) {
  for (const Example& example : kExamples) {
    if (!example.images) continue;
    const Ran ran = run_command(std::string(SLUICE_EXAMPLE_PREFIX) + example.name + " /nowhere");
    EXPECT_EQ(ran.status, 1) << example.name;
    EXPECT_NE(ran.errors.find("'/nowhere' does not exist"), std::string::npos) << ran.errors;
  }
}

TEST(Examples, NoneIsLeftOut) {
  std::set<std::string> here, built;
  for (const Example& example : kExamples) here.insert(example.name);
  std::istringstream all(SLUICE_EXAMPLES);
  for (std::string name; all >> name;) built.insert(name);
  EXPECT_EQ(here, built);
}

}  // namespace examples_test
}  // namespace sluice::app
