// `sluice augment` with lists of boxes and masks.
#include "annotated_lists.h"
#include "program.h"
#include <sluice/io/images/decode_image.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace sluice::app {
namespace annotations_test {

namespace fs = std::filesystem;

class Annotations : public ::testing::Test {
 protected:
  void SetUp() override { count_ = write_annotated_lists().images; }
  fs::path path(const std::string& name) const { return test_folder() / name; }
  Ran augment(const std::string& out, const std::string& options) const {
    return run_program("augment --out " + path(out).string() + " " + options);
  }

  int count_ = 0;
};

TEST_F(Annotations, BoxesLieBesideTheirImages) {
  const std::string options = "--list " + path("boxes.jsonl").string() +
                              " --recipe detection --box-format xywh --epochs 3 ";
  const Ran ran = augment("one", options + "--threads 1 --sheet " + path("sheet.jpg").string());
  ASSERT_EQ(ran.status, 0) << ran.errors;
  ASSERT_EQ(augment("two", options + "--threads 3 --batch 3").status, 0);
  const auto files = files_below(path("one"));
  EXPECT_EQ(files.size(), 6u * static_cast<std::size_t>(count_));
  int seen = 0;
  for (const auto& [name, content] : files) {
    if (name.find(".json") == std::string::npos) continue;
    EXPECT_EQ(files_below(path("two")).at(name), content);
    const auto row = nlohmann::json::parse(content);
    EXPECT_TRUE(files.contains(row.at("path").get<std::string>())) << content;
    ASSERT_EQ(row.at("boxes").size(), row.at("labels").size());
    for (std::size_t i = 0; i < row.at("boxes").size(); ++i, ++seen) {
      const auto box = row["boxes"][i].get<std::vector<double>>();
      ASSERT_EQ(box.size(), 4u);
      EXPECT_TRUE(0 <= box[0] && box[0] < box[2] && box[2] <= 300) << content;
      EXPECT_TRUE(0 <= box[1] && box[1] < box[3] && box[3] <= 300) << content;
      EXPECT_TRUE(row["labels"][i] == 5 || row["labels"][i] == 6) << content;
    }
  }
  EXPECT_GT(seen, count_);
  EXPECT_TRUE(fs::exists(path("sheet.jpg")));
}

TEST_F(Annotations, MasksLieBesideTheirImages) {
  const Ran ran =
      augment("out", "--list " + path("masks.jsonl").string() + " --recipe segmentation");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  int masks = 0;
  for (const auto& [name, content] : files_below(path("out"))) {
    if (name.find(".png") == std::string::npos) continue;
    ++masks;
    const std::span<const std::uint8_t> file(reinterpret_cast<const std::uint8_t*>(content.data()),
                                             content.size());
    Image mask;
    decode_image_file(file, {.color = ColorSpace::gray}, mask);
    EXPECT_EQ(mask.height(), 512);
    EXPECT_EQ(mask.width(), 512);
    std::set<int> levels;
    for (int y = 0; y < mask.height(); ++y) levels.insert(mask.row(y), mask.row(y) + mask.width());
    for (const int level : levels) EXPECT_TRUE(level == 1 || level == 2 || level == 255) << level;
  }
  EXPECT_EQ(masks, count_);
}

TEST_F(Annotations, ABoxWithoutALabelIsRefused) {
  std::ofstream(path("one.jsonl"))
      << R"({"path": "data/arrow.jpg", "boxes": [[0, 0, 8, 8], [0, 0, 9, 9]], "labels": [5]})"
      << "\n";
  const Ran ran =
      augment("out", "--recipe detection --on-error fail --list " + path("one.jsonl").string());
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_NE(ran.errors.find("the sample has the wrong number of labels (got 1, expected 2); give "
                            "one label for each box"),
            std::string::npos)
      << ran.errors;
}

TEST_F(Annotations, ListsWithoutThemAreRefused) {
  const struct {
    std::string options, part;
  } cases[] = {
      {"--data " + path("data").string() + " --recipe detection",
       "--recipe detection needs --list: boxes come from --list FILE with two columns"},
      {"--data " + path("data").string() + " --recipe segmentation",
       "--recipe segmentation needs --list: masks come from --list FILE with a column"},
      {"--list " + path("masks.jsonl").string() + " --recipe detection",
       "line 1: the row has no 'boxes'"},
      {"--list " + path("boxes.jsonl").string() + " --recipe segmentation",
       "line 1: the row has no 'mask'"},
  };
  for (const auto& c : cases) {
    const Ran ran = augment("out", c.options);
    EXPECT_NE(ran.status, 0) << c.options;
    EXPECT_NE((ran.out + ran.errors).find(c.part), std::string::npos) << ran.out << ran.errors;
  }
}

TEST_F(Annotations, OptionsWithoutAUseAreRefused) {
  const std::string masks = "--list " + path("masks.jsonl").string();
  for (const std::string options : {" --boxes other", " --recipe segmentation --box-format xywh",
                                    " --mask other", " --recipe detection --mask other"}) {
    const Ran ran = augment("out", masks + options);
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_NE(ran.errors.find("leave "), std::string::npos) << ran.errors;
  }
}

TEST_F(Annotations, AnOutputDoesNotReplaceAFileOfTheList) {
  const std::string image = path("picked.jpg").string();
  std::ofstream(image) << "an image";
  std::ofstream(path("one.csv")) << "path\npicked.jpg\n";
  const Ran ran = augment("out", "--list " + path("one.csv").string() + " --sheet " + image);
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("is a file that the list names"), std::string::npos) << ran.errors;
}

}  // namespace annotations_test
}  // namespace sluice::app
