#include "apps/images.h"
#include "apps/output_paths.h"
#include "demo_folder.h"
#include "program.h"
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/readers/files.h>

#include <fstream>
#include <string>

namespace sluice::app {
namespace augment_test {

namespace fs = std::filesystem;

class Augment : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = write_demo_images();
    files_ = files_below(data_).size();
  }
  Ran augment(const std::string& out, const std::string& options) const {
    return run_program("augment --data " + data_.string() + " --out " +
                       (test_folder() / out).string() + " " + options);
  }
  std::map<std::string, std::string> results(const std::string& out) const {
    return files_below(test_folder() / out);
  }

  fs::path data_;
  std::size_t files_ = 0;
};

TEST_F(Augment, SkipsWhatIsDamagedAndSaysSo) {
  fs::create_directory(test_folder() / "sheets");
  const Ran ran = augment("out", "--sheet " + (test_folder() / "sheets" / "sheet.jpg").string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(results("out").size(), files_ - 1);
  EXPECT_NE(ran.out.find("delivered " + std::to_string(files_ - 1)), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("skipped 1"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("damaged.jpg"), std::string::npos) << ran.out;
  Image image;
  decode_jpeg_image(read_file((test_folder() / "sheets" / "sheet.jpg").string()), {}, image);
  EXPECT_GT(image.height(), 500);
  for (const auto& [name, bytes] : results("out")) {
    decode_jpeg_image(read_file((test_folder() / "out" / name).string()), {}, image);
    EXPECT_EQ(image.height(), 400) << name;
    EXPECT_EQ(image.width(), 400) << name;
  }
}

TEST_F(Augment, MakesFoldersForASheetInTheResultsOnly) {
  const std::string inside = (test_folder() / "out" / "sheets" / "sheet.jpg").string();
  EXPECT_EQ(augment("out", "--count 2 --sheet " + inside).status, 0);
  EXPECT_TRUE(fs::exists(inside));
  const Ran elsewhere =
      augment("other", "--count 2 --sheet " + (test_folder() / "none" / "sheet.jpg").string());
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_NE(elsewhere.errors.find("there is no folder"), std::string::npos) << elsewhere.errors;
  EXPECT_FALSE(fs::exists(test_folder() / "none"));
  EXPECT_FALSE(fs::exists(test_folder() / "other"));
}

// Samples that are not wanted are not decoded, however far ahead the pipeline works.
TEST_F(Augment, TakesNoMoreSamplesThanAreCounted) {
  for (const std::string device : {"cpu", "stand-in"}) {
    const Ran ran = augment(device, "--profile --count 3 --device " + device);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_NE(ran.out.find("\nsamples: 3 admitted, "), std::string::npos) << ran.out;
  }
}

TEST_F(Augment, SaysWhatTheStepsTookWhenAsked) {
  EXPECT_EQ(augment("plain", "").out.find("decode_jpeg  "), std::string::npos);
  const Ran ran = augment("out", "--profile");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  for (const std::string part : {"\nsamples: ", "\nstep ", "\ndecode_jpeg  ", "\nif_else:then "})
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << ran.out;
}

TEST_F(Augment, CountsOneImageInTheSingular) {
  const Ran ran = augment("out", "--count 1 --threads 1");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.out.find("delivered 1 image to "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(" with 1 thread, "), std::string::npos) << ran.out;
}

TEST_F(Augment, ReplacesWhatIsDamaged) {
  const Ran ran = augment("out", "--on-error replace --recipe train");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(results("out").size(), files_);
  EXPECT_NE(ran.out.find("replaced 1"), std::string::npos) << ran.out;
}

TEST_F(Augment, FailsWithStatus1) {
  const Ran ran = augment("out", "--on-error fail");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.errors.find("damaged.jpg"), std::string::npos) << ran.errors;
  EXPECT_EQ(error_lines(ran), 1u) << ran.errors;
}

TEST_F(Augment, OnlyDamagedFilesEndTheRun) {
  for (const auto& entry : fs::directory_iterator(data_)) {
    if (entry.path().filename() != "damaged.jpg") fs::remove(entry.path());
  }
  const Ran ran = augment("out", "--count 1000000");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.errors.find("nothing was delivered"), std::string::npos) << ran.errors;
  EXPECT_NE(ran.out.find("skipped 1"), std::string::npos) << ran.out;
}

TEST_F(Augment, AllNamesNamesEveryFileThatIsSkipped) {
  for (int i = 0; i < 24; ++i) {
    const std::string name = "bad" + std::to_string(i) + ".jpg";
    std::ofstream(data_ / name) << "no image";
  }
  const auto named = [](const Ran& ran) {
    std::size_t count = 0;
    for (std::size_t at = ran.out.find("bad"); at != std::string::npos;
         at = ran.out.find("bad", at + 1))
      ++count;
    return count;
  };
  const Ran some = augment("some", "");
  EXPECT_NE(some.out.find("... and 5 more; --all-names names all"), std::string::npos) << some.out;
  EXPECT_LE(named(some), 20u);
  const Ran all = augment("all", "--all-names");
  EXPECT_EQ(named(all), 24u) << all.out;
  EXPECT_EQ(all.out.find("--all-names"), std::string::npos) << all.out;
}

TEST_F(Augment, TheSameFilesWhateverTheThreadsAndBatches) {
  for (const std::string recipe : {"rotate", "train", "eval", "randaugment", "trivialaugment",
                                   "autoaugment", "augmix", "simclr"}) {
    const std::string common = "--recipe " + recipe + " --count 40 --seed 9 ";
    EXPECT_EQ(augment("a_" + recipe, common + "--threads 1 --batch 7").status, 0);
    EXPECT_EQ(augment("b_" + recipe, common + "--threads 4 --batch 32").status, 0);
    EXPECT_EQ(results("a_" + recipe), results("b_" + recipe)) << recipe;
    // The damaged file fails once in each of two whole epochs, and once more in the third. A region
    // above the damage is sound.
    if (recipe != "rotate" && recipe != "eval") {
      EXPECT_GE(results("a_" + recipe).size(), 37u);
    } else {
      EXPECT_EQ(results("a_" + recipe).size(), 37u) << recipe;
    }
  }
  EXPECT_EQ(augment("c", "--recipe train --count 40 --seed 10").status, 0);
  EXPECT_NE(results("c"), results("a_train"));
}

TEST_F(Augment, CountStopsWithinAnEpoch) {
  EXPECT_EQ(augment("out", "--count 3 --batch 2").status, 0);
  EXPECT_EQ(results("out").size(), 3u);
}

TEST_F(Augment, OldResultsAreNotMixedWithNewOnes) {
  EXPECT_EQ(augment("out", "--count 3").status, 0);
  const auto before = results("out");
  const Ran refused = augment("out", "--count 3 --recipe eval");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("--overwrite"), std::string::npos) << refused.errors;
  EXPECT_EQ(results("out"), before);
  EXPECT_EQ(augment("out", "--count 3 --recipe eval --overwrite").status, 0);
  EXPECT_EQ(results("out").size(), 3u);
  EXPECT_NE(results("out"), before);
}

TEST_F(Augment, FilesOfTheSameNameAreToldApart) {
  const std::string image = text_of(data_ / "arrow.jpg"), damaged = text_of(data_ / "damaged.jpg");
  fs::remove_all(data_);
  const struct {
    const char* path;
    std::string bytes;
  } files[] = {{"a.jpg", image},
               {"cat/a.jpg", image},
               {"dog/a.jpg", image},
               {"dog/young/a.JPEG", image},
               {"fox/a.jpg", damaged}};
  for (const auto& file : files) {
    fs::create_directories((data_ / file.path).parent_path());
    std::ofstream(data_ / file.path, std::ios::binary) << file.bytes;
  }
  const auto names = [&](const std::string& out) {
    std::string all;
    for (const auto& [name, bytes] : results(out)) all += name + " ";
    return all;
  };
  const Ran ran = augment("out", "");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(names("out"), "a_000000.jpg cat/a_000001.jpg dog/a_000002.jpg dog/young/a_000003.jpg ");
  EXPECT_NE(ran.out.find("fox/a.jpg (sample 4"), std::string::npos) << ran.out;
  // Names cannot clash in one folder either: each has its number.
  fs::copy_file(data_ / "a.jpg", data_ / "cat__a.jpg");
  EXPECT_EQ(augment("flat", "--flat").status, 0);
  EXPECT_EQ(names("flat"),
            "a_000000.jpg cat__a_000001.jpg cat__a_000002.jpg dog__a_000003.jpg "
            "dog__young__a_000004.jpg ");
}

TEST_F(Augment, LongNamesAreCutBetweenLetters) {
  std::string name;
  while (name.size() < 248) name += "\xc3\xa4";
  fs::copy_file(data_ / "arrow.jpg", data_ / (name + "x.jpg"));
  EXPECT_EQ(augment("out", "").status, 0);
  EXPECT_TRUE(results("out").contains(name.substr(0, 198) + "x_" + "000014.jpg") ||
              results("out").contains(name.substr(0, 198) + "x_000015.jpg"));
}

// Links that lead back or nowhere and hidden files cost only themselves.
TEST_F(Augment, NamesWhatItCannotRead) {
  fs::create_directory(data_ / "cat");
  fs::copy_file(data_ / "arrow.jpg", data_ / "cat" / "a.jpg");
  fs::create_directory_symlink("..", data_ / "cat" / "back");
  fs::create_symlink("round\x1b[2J", data_ / "round\x1b[2J");
  fs::create_symlink("gone", data_ / "gone.jpg");
  fs::copy_file(data_ / "arrow.jpg", data_ / "._a.jpg");
  for (const std::string policy : {"skip", "replace"}) {
    const Ran ran = augment(policy, "--on-error " + policy);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(results(policy).size(), policy == "skip" ? files_ : files_ + 2);
    for (const std::string part :
         {"\nleft out 2 that cannot be read:\n  cat/back: a link that leads back to a folder above "
          "it\n  round\\x1b[2J: Too many levels of symbolic links\n",
          "\nleft out 1 hidden", "gone.jpg (sample "}) {
      EXPECT_NE(ran.out.find(part), std::string::npos) << part << ran.out;
    }
  }
  const Ran ran = augment("fail", "--on-error fail");
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.errors.find("stopped before the first image: cat/back cannot be read: a link that "
                            "leads back to a folder above it (and 1 more); --on-error skip"),
            std::string::npos)
      << ran.errors;
}

TEST_F(Augment, ALockedFolderIsLeftOut) {
  fs::create_directory(data_ / "locked");
  fs::permissions(data_ / "locked", fs::perms::none);
  fs::permissions(test_folder(), fs::perms::all);
  Started started({"augment", "--data", data_.string(), "--out", (test_folder() / "out").string()},
                  Started::As::nobody);
  const Ran ran = started.finish();
  fs::permissions(data_ / "locked", fs::perms::all);
  if (ran.status == Started::kCannotStart) GTEST_SKIP() << "nobody may not run the program here";
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(results("out").size(), files_ - 1);
  EXPECT_NE(ran.out.find("left out 1 that cannot be read:\n  locked: Permission denied\n"),
            std::string::npos)
      << ran.out;
}

TEST_F(Augment, ShowsNamesWithoutControlCharacters) {
  const std::string name = "evil\n\x1b[2J\x07.jpg";
  fs::copy_file(data_ / "damaged.jpg", data_ / name);
  for (const std::string policy : {"skip", "replace", "fail"}) {
    const Ran ran = augment(
        policy, "--on-error " + policy + " --sheet " + (test_folder() / "sheet.jpg").string());
    const std::string all = ran.out + ran.errors;
    EXPECT_TRUE(policy == "fail" || all.find("evil\\n\\x1b[2J\\x07.jpg (sample ") != all.npos)
        << all;
    EXPECT_EQ(all.find_first_of("\x1b\x07"), std::string::npos) << all;
    EXPECT_EQ(all.find("evil\n"), std::string::npos) << all;
  }
  const Ran ran = augment("out", "--index '" + (test_folder() / "no\n\x1b[2J").string() + "'");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("no\\n\\x1b[2J' cannot be opened"), std::string::npos) << ran.errors;
}

}  // namespace augment_test
}  // namespace sluice::app
