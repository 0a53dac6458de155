#include "demo_folder.h"
#include "program.h"
#include <sluice/io/jpeg/index.h>
#include <sluice/io/jpeg/self_test.h>
#include <sluice/io/readers/files.h>

#include <algorithm>
#include <string>

namespace sluice::app {
namespace index_test {

namespace fs = std::filesystem;

class Index : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!jpeg_entropy_is_usable()) GTEST_SKIP() << "nothing can be learnt with this libjpeg";
    data_ = write_demo_images();
    files_ = static_cast<std::int64_t>(files_below(data_).size());
  }
  std::string path(const std::string& name) const { return (test_folder() / name).string(); }
  Ran index(const std::string& out, const std::string& options = "") const {
    return run_program("index --data " + data_.string() + " --out " + path(out) + " " + options);
  }

  fs::path data_;
  std::int64_t files_ = 0;
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Index, KnowsAllFilesButThoseThatItNames) {
  fs::create_symlink(data_ / "gone", data_ / "gone.jpg");
  fs::copy_file(data_ / "arrow.jpg", data_ / "twin.jpg");
  const Ran ran = index("new/images.index");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.errors, "");
  // One of the images is progressive, one is damaged.
  const std::int64_t known = files_ - 2;
  EXPECT_TRUE(says(ran.out, std::to_string(files_ + 2) + " files in ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "indexed " + std::to_string(known + 1) + " files (1 duplicate) in "))
      << ran.out;
  EXPECT_TRUE(says(ran.out, "left out 1 of a kind that an index does not help with:\n  "))
      << ran.out;
  EXPECT_TRUE(says(ran.out, ".jpg: progressive\n")) << ran.out;
  EXPECT_TRUE(says(ran.out, "left out 2 that cannot be used:\n  damaged.jpg: ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "  gone.jpg: ")) << ran.out;
  const auto opened = JpegIndex::open(path("new/images.index"));
  EXPECT_EQ(opened->files(), known);
  EXPECT_TRUE(says(ran.out, "; " + std::to_string(opened->records()) +
                                " records, one for every 16 block groups of a row\n"))
      << ran.out;
  EXPECT_TRUE(opened->find(digest_of(read_file((data_ / "arrow.jpg").string()))));
  EXPECT_EQ(files_below(test_folder() / "new").size(), 1u);  // no draft is left
}

TEST_F(Index, TheSameFileWhateverTheThreads) {
  EXPECT_EQ(index("a", "--threads 1").status, 0);
  EXPECT_EQ(index("b", "--threads 4").status, 0);
  EXPECT_EQ(text_of(path("a")), text_of(path("b")));
  // Into the folder of the data, and over an existing index.
  EXPECT_EQ(index("data/c", "--threads 4").status, 0);
  EXPECT_EQ(index("data/c", "--threads 2").status, 0);
  EXPECT_EQ(text_of(path("a")), text_of(path("data/c")));
}

TEST_F(Index, TheGrainSaysHowManyRecords) {
  std::int64_t before = 0;
  Ran ran;
  for (const std::string grain : {"rows", "16", "3", "1"}) {
    ran = index("index", "--grain " + grain);
    ASSERT_EQ(ran.status, 0) << ran.errors;
    const std::int64_t records = JpegIndex::open(path("index"))->records();
    EXPECT_GT(records, before) << grain;
    before = records;
  }
  EXPECT_TRUE(says(ran.out, ", one for every 1 block group of a row\n")) << ran.out;
}

TEST_F(Index, NothingToIndexIsAFailure) {
  for (const auto& entry : fs::directory_iterator(data_)) {
    if (entry.path().filename() != "damaged.jpg") fs::remove(entry.path());
  }
  const Ran ran = index("index");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran.errors, "nothing was indexed: 1 file cannot be")) << ran.errors;
  EXPECT_TRUE(says(ran.out, "damaged.jpg: ")) << ran.out;
  EXPECT_FALSE(fs::exists(path("index")));
}

TEST_F(Index, AugmentMakesTheSameImagesWithAndWithout) {
  ASSERT_EQ(index("index").status, 0);
  const auto augment = [&](const std::string& out, const std::string& options) {
    const Ran ran = run_program("augment --recipe train --count 40 --data " + data_.string() +
                                " --out " + path(out) + " " + options);
    EXPECT_EQ(ran.status, 0) << options << ": " << ran.errors;
    return files_below(path(out));
  };
  const auto plain = augment("off", "--index off");
  EXPECT_GE(plain.size(), 37u);
  EXPECT_EQ(augment("none", ""), plain);
  EXPECT_EQ(augment("memory", "--index memory --threads 1"), plain);
  EXPECT_EQ(augment("memory4", "--index memory --threads 4"), plain);
  EXPECT_EQ(augment("file", "--index " + path("index")), plain);
}

// The index knows files by their content, not by their names.
TEST_F(Index, AugmentSaysHowManyFilesItFits) {
  ASSERT_EQ(index("index").status, 0);
  for (const char* folder : {"same", "other"}) {
    fs::create_directory(path(folder));
    fs::copy_file(data_ / "arrow.jpg", fs::path(path(folder)) / "arrow.jpg");
  }
  std::ofstream(path("other/arrow.jpg"), std::ios::binary | std::ios::app) << "changed";
  const std::string fits = "the index " + path("index") + " fits ";
  // Two of the demo images are in no index: one is progressive, one is damaged.
  const std::string some = std::to_string(files_ - 2) + " of " + std::to_string(files_) +
                           " files; the others were decoded without it\n";
  const struct {
    std::string folder, says;
  } cases[] = {{"data", fits + some},
               {"other", fits + "0 of 1 file; it is of other files, or they have changed: make it "
                                "again with sluice index\n"},
               {"same", ""}};
  for (const auto& c : cases) {
    const Ran ran = run_program("augment --recipe train --epochs 2 --data " + path(c.folder) +
                                " --out " + path("out_" + c.folder) + " --index " + path("index"));
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(says(ran.out, fits), !c.says.empty()) << ran.out;
    EXPECT_TRUE(says(ran.out, c.says)) << c.says << ran.out;
  }
}

TEST_F(Index, ALinkIsRefusedAndStays) {
  ASSERT_EQ(index("index").status, 0);
  const std::string before = text_of(path("index"));
  for (const std::string target : {"index", "nowhere"}) {
    fs::create_symlink(target, path("link"));
    const Ran ran = index("link", "--grain rows");
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(says(ran.errors, "--out " + path("link") + " is a link to " + target +
                                     ": give the name of the file itself, or remove the link"))
        << ran.errors;
    EXPECT_TRUE(fs::is_symlink(path("link")));
    fs::remove(path("link"));
  }
  EXPECT_EQ(text_of(path("index")), before);
  EXPECT_FALSE(fs::exists(path("nowhere")));
}

TEST_F(Index, WhatADeadRunHasLeftIsRemoved) {
  fs::create_directory(path("new"));
  std::ofstream(path("new/.sluice-part-4000000-0")) << "cut";
  ASSERT_EQ(index("new/index").status, 0);
  EXPECT_EQ(files_below(path("new")).size(), 1u);
}

TEST_F(Index, CtrlCEndsItWithASummaryAndNoIndex) {
  for (int i = 0; i < 4000; ++i)
    fs::create_hard_link(data_ / "boat.jpg", data_ / ("b" + std::to_string(i) + ".jpg"));
  Started run({"index", "--data", data_.string(), "--out", path("index"), "--threads", "1"});
  ASSERT_TRUE(run.wait_until([&] { return says(run.out_so_far(), " files in "); }));
  run.send(SIGINT);
  const Ran ran = run.finish();
  EXPECT_EQ(ran.status, 130) << ran.errors;
  EXPECT_TRUE(says(ran.out, "stopped early by Ctrl-C after ")) << ran.out;
  EXPECT_FALSE(fs::exists(path("index")));
}

TEST_F(Index, ChecksTheFilesThatItWasMadeOf) {
  ASSERT_EQ(index("index").status, 0);
  const auto check = [&] {
    return run_program("index --data " + data_.string() + " --check " + path("index"));
  };
  const std::string all = std::to_string(files_);
  const std::string compared = "compared " + all + " of " + all + " files with " + path("index");
  Ran ran = check();
  EXPECT_EQ(ran.status, 0) << ran.out << ran.errors;
  EXPECT_EQ(ran.out, compared + ": " + all + " have not changed\n");

  // A file that still decodes to an image, but to another one.
  fs::copy_file(data_ / "boat.jpg", data_ / "arrow.jpg", fs::copy_options::overwrite_existing);
  ran = check();
  EXPECT_EQ(ran.status, 1) << ran.errors;
  EXPECT_TRUE(says(ran.out, compared + ": " + std::to_string(files_ - 1) + " have not changed\n"))
      << ran.out;
  EXPECT_TRUE(says(ran.out, "arrow.jpg' has changed since the index was made")) << ran.out;

  const std::string augment = "augment --data " + data_.string() + " --index " + path("index");
  ran = run_program(augment + " --verify --on-error fail --out " + path("failed"));
  EXPECT_EQ(ran.status, 1) << ran.out;
  EXPECT_TRUE(says(ran.errors, "arrow.jpg' has changed since the index was made")) << ran.errors;
  ran = run_program(augment + " --verify --out " + path("verified"));
  EXPECT_TRUE(says(ran.out, "arrow.jpg' has changed since the index was made")) << ran.out;
  EXPECT_FALSE(fs::exists(path("verified/arrow_000000.jpg")));
  EXPECT_EQ(run_program(augment + " --out " + path("all")).status, 0);
  EXPECT_TRUE(fs::exists(path("all/arrow_000000.jpg")));

  fs::remove(data_ / "arrow.jpg");
  ran = check();
  EXPECT_EQ(ran.status, 1) << ran.errors;
  EXPECT_TRUE(says(ran.out, "1 of the files in the index were not found\n")) << ran.out;
}

TEST_F(Index, KeepsDigestsOfFilesThatItDoesNotHelpWith) {
  for (const auto& entry : fs::directory_iterator(data_)) {
    if (entry.path().filename() != "mountains.jpg") fs::remove_all(entry.path());
  }
  const Ran ran = index("index");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(says(ran.out, "digests of 1 file\n")) << ran.out;
  const std::string check = "index --data " + data_.string() + " --check " + path("index");
  EXPECT_EQ(run_program(check).status, 0);
  fs::create_symlink("nowhere", data_ / "a; b.jpg");
  EXPECT_TRUE(says(run_program(check).out, "a; b.jpg' cannot be opened: No such file"));
}

TEST_F(Index, ADamagedOneIsRefused) {
  ASSERT_EQ(index("index").status, 0);
  std::string bytes = text_of(path("index"));
  bytes[60] = static_cast<char>(bytes[60] ^ 1);
  std::ofstream(path("index"), std::ios::binary | std::ios::trunc) << bytes;
  for (const std::string& command : {"augment --out " + path("out"), std::string("bench region")}) {
    const Ran ran =
        run_program(command + " --data " + data_.string() + " --index " + path("index"));
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_EQ(ran.errors, "sluice: --index: the index '" + path("index") +
                              "' is damaged (its table); make it again with 'sluice index'\n");
  }
  EXPECT_EQ(index("index").status, 0);
  EXPECT_GT(JpegIndex::open(path("index"))->files(), 0);
}

}  // namespace index_test
}  // namespace sluice::app
