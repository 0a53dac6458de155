// The sheet of effects has all operators that change images, and each changes its image.
#include "apps/canvas.h"
#include "apps/operators.h"
#include "apps/sheet.h"
#include "program.h"
#include <sluice/graph/plan/slot.h>
#include <sluice/ops/operators.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace sluice::app {
namespace operator_sheet_test {

bool changes_images(const detail::OperatorSchema& schema) {
  const auto* image = detail::slot_type<Image>();
  return schema.inputs.size() == 1 && schema.outputs.size() == 1 &&
         schema.inputs[0].types == std::vector{image} && schema.outputs[0].type == image;
}

TEST(OperatorSheet, HasAllThatChangeImages) {
  std::set<std::string> shown, all;
  for (const Effect& effect : effects()) shown.insert(effect.name);
  for (const auto& op : operators())
    if (changes_images(op->schema())) all.insert(op->schema().name);
  EXPECT_GT(all.size(), 10u);
  std::set<std::string> missing;
  std::set_difference(all.begin(), all.end(), shown.begin(), shown.end(),
                      std::inserter(missing, missing.end()));
  EXPECT_EQ(missing, std::set<std::string>());
}

TEST(OperatorSheet, EachChangesItsImageAndSaysHow) {
  const Image image = effect_image();
  for (const Effect& effect : effects()) {
    const Image after = effect_on(effect, image);
    EXPECT_FALSE(after.empty()) << effect.name;
    EXPECT_FALSE(after == image) << effect.name;
    const std::string function(effect.code, std::string(effect.code).find('('));
    EXPECT_EQ(std::string(effect.name).rfind(function, 0), 0u) << effect.code;
  }
}

TEST(OperatorSheet, NoLineOfCodeIsCut) {
  const auto letters = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  for (const Effect& effect : effects()) {
    std::string shown;
    for (const std::string& line :
         wrap(effect.code, ContactSheet::kNoteLetters, ContactSheet::kNoteLines))
      shown += line;
    EXPECT_EQ(letters(shown), letters(effect.code));
    EXPECT_LE(std::string(effect.name).size(), std::size_t{ContactSheet::kNoteLetters});
  }
}

TEST(OperatorSheet, IsDrawnByTheProgram) {
  const std::string sheet = (test_folder() / "sheet.jpg").string();
  const Ran ran = run_program("operators --sheet " + sheet);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const std::string file = text_of(sheet);
  EXPECT_EQ(file.substr(0, 2), "\xff\xd8");
  EXPECT_EQ(run_program("operators resize --sheet " + sheet).status, 2);
  EXPECT_EQ(run_program("operators --sheet /nowhere/sheet.jpg").status, 1);
  const Ran png = run_program("operators --sheet " + sheet + ".png");
  EXPECT_EQ(png.status, 2);
  EXPECT_NE(png.errors.find("let its name end in .jpg, not in .png"), std::string::npos)
      << png.errors;
}

TEST(OperatorSheet, ImagesAreFilesOfTheirOwn) {
  const std::filesystem::path folder = test_folder() / "new" / "images";
  const Ran ran = run_program("operators --images " + folder.string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  std::set<std::string> expected = {"before.jpg"}, found;
  for (const Effect& effect : effects()) expected.insert(std::string(effect.name) + ".jpg");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.insert(entry.path().filename().string());
    EXPECT_EQ(text_of(entry.path().string()).substr(0, 2), "\xff\xd8");
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(expected.size(), effects().size() + 1);  // no name twice
  EXPECT_EQ(run_program("operators resize --images " + folder.string()).status, 2);
  const Ran below_a_file = run_program("operators --images " + (folder / "before.jpg/x").string());
  EXPECT_EQ(below_a_file.status, 1);
  EXPECT_NE(below_a_file.errors.find("cannot be made"), std::string::npos);
}

TEST(OperatorSheet, JsonHasTheLineOfCode) {
  const std::string rotate = run_program("operators rotate --json").out;
  EXPECT_NE(rotate.find(R"_("shown": "rotate(image, 20.f)")_"), std::string::npos) << rotate;
  EXPECT_NE(rotate.find(R"_("accepts": "1, 3 or 4 numbers")_"), std::string::npos) << rotate;
  EXPECT_EQ(run_program("operators add --json").out.find("\"shown\""), std::string::npos);
}

}  // namespace operator_sheet_test
}  // namespace sluice::app
