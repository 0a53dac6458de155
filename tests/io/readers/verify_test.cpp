// Verify: files_in and list_in compare files with the digests in an index.
#include "tests/error_of.h"
#include "tests/tried.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/io/readers/files.h>
#include <sluice/io/readers/list.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace sluice {
namespace verify_test {
namespace fs = std::filesystem;

constexpr std::int64_t kFiles = 40;

// The files are no images: verifying does not decode.
class VerifyTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("sluice_verify_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "a");
    for (std::int64_t i = 0; i < kFiles; ++i) {
      write(i, "the content of file " + std::to_string(100 + i));
      index_->keep_name(name(i), digest_of(read_file(path(i))));
    }
    std::ofstream list(folder_ / "list.csv");
    list << "path,label\n";
    // A detour does not matter.
    for (std::int64_t i = 0; i < kFiles; ++i) list << (i % 2 == 0 ? "" : "./") << name(i) << ",0\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string name(std::int64_t i) { return "a/" + std::to_string(100 + i) + ".jpg"; }
  std::string path(std::int64_t i) const { return (folder_ / name(i)).string(); }
  void write(std::int64_t i, const std::string& content) const {
    std::ofstream(path(i), std::ios::binary | std::ios::trunc) << content;
  }

  // An epoch: the files that fail, the first error, and the number of files that were verified.
  struct Outcome {
    std::set<std::int64_t> failed;
    std::string error;
    std::int64_t verified = 0;
  };
  template <class Dataset>
  static std::vector<Outcome> run(const Dataset& dataset, int epochs, int threads) {
    auto pipeline = make_pipeline({.batch_size = 7, .threads = threads, .on_error = OnError::skip},
                                  [&](Graph& g) {
                                    auto [file, label] = g.read(dataset);
                                    return file;
                                  });
    std::vector<Outcome> all;
    std::int64_t before = 0;
    for (int epoch = 0; epoch < epochs; ++epoch) {
      Outcome& outcome = all.emplace_back();
      std::int64_t delivered = 0;
      for (const auto& batch : pipeline.epoch()) {
        delivered += static_cast<std::int64_t>(batch.size());
        for (const SampleError& error : batch.errors()) {
          outcome.failed.insert(error.key.index);
          if (outcome.error.empty()) outcome.error = error.what;
        }
      }
      EXPECT_EQ(delivered + static_cast<std::int64_t>(outcome.failed.size()), kFiles);
      const std::int64_t verified = pipeline.stats().sources.at(0).reads.verified;
      outcome.verified = verified - before;
      before = verified;
    }
    return all;
  }
  std::vector<Outcome> run(Verify verify, int epochs = 1, int threads = 2) const {
    const std::string list = (folder_ / "list.csv").string();
    return GetParam() ? run(list_in(list, {.index = index_, .verify = verify}), epochs, threads)
                      : run(files_in(folder_.string(), {.index = index_, .verify = verify}), epochs,
                            threads);
  }

  fs::path folder_;
  std::shared_ptr<JpegIndex> index_ = JpegIndex::in_memory();
};

TEST_P(VerifyTest, FindsEachFileThatHasChanged) {
  const std::string old = "the content of file 109";
  const struct {
    const char* what;
    std::function<void()> change;
    const char* says;
  } cases[] = {
      {"a bit", [&] { write(9, "the content of file 108"); }, "has changed since the index was"},
      {"cut", [&] { write(9, old.substr(1)); }, "has changed since the index was"},
      {"empty", [&] { write(9, ""); }, "has changed since the index was"},
      {"longer", [&] { write(9, old + "x"); }, "has changed since the index was"},
      {"that of another file", [&] { fs::copy_file(path(3), path(9)); }, "has changed since"},
      {"gone", [&] { fs::create_symlink("nowhere.jpg", path(9)); }, "cannot be opened"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    fs::remove(path(9));
    c.change();
    for (const int threads : {1, 3}) {
      const Outcome outcome = run(Verify::always, 1, threads)[0];
      EXPECT_EQ(outcome.failed, std::set<std::int64_t>{9});
      EXPECT_NE(outcome.error.find(c.says), std::string::npos) << outcome.error;
      EXPECT_NE(outcome.error.find("109.jpg'"), std::string::npos) << outcome.error;
      EXPECT_EQ(outcome.verified, kFiles - 1);
      testing::tried("silent-damage");
    }
  }
}

TEST_P(VerifyTest, WhatHasNotChangedIsCounted) {
  for (const Outcome& outcome : run(Verify::always, 2)) {
    EXPECT_TRUE(outcome.failed.empty()) << outcome.error;
    EXPECT_EQ(outcome.verified, kFiles);
  }
  EXPECT_EQ(run(Verify::never)[0].verified, 0);
}

// 16 epochs verify each file once, and find each that has changed once.
TEST_P(VerifyTest, ASampleFindsEachChangeWithin16Epochs) {
  const std::set<std::int64_t> changed = {0, 5, 16, 39};
  for (const std::int64_t i : changed) write(i, "something else");
  std::set<std::int64_t> found;
  std::int64_t verified = 0;
  for (const Outcome& outcome : run(Verify::sample, 16)) {
    for (const std::int64_t i : outcome.failed) EXPECT_TRUE(found.insert(i).second) << i;
    verified += outcome.verified;
    testing::tried("silent-damage");
  }
  EXPECT_EQ(found, changed);
  EXPECT_EQ(verified, kFiles - static_cast<std::int64_t>(changed.size()));
}

TEST_P(VerifyTest, AFileWithoutADigestFails) {
  const auto few = JpegIndex::in_memory();
  for (std::int64_t i = 1; i < kFiles; ++i) few->keep_name(name(i), digest_of(read_file(path(i))));
  index_ = few;
  const Outcome outcome = run(Verify::always)[0];
  EXPECT_EQ(outcome.failed, std::set<std::int64_t>{0});
  EXPECT_NE(outcome.error.find("has no digest of it"), std::string::npos) << outcome.error;
}

TEST_P(VerifyTest, NothingToCompareWithIsAnError) {
  index_ = JpegIndex::in_memory();
  EXPECT_NE(error_of<IoError>([&] { run(Verify::always); }).find("has no digests"),
            std::string::npos);
  index_ = nullptr;
  EXPECT_NE(error_of<BuildError>([&] { run(Verify::sample); }).find("needs an index"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Datasets, VerifyTest, ::testing::Bool(),
                         [](const auto& dataset) { return dataset.param ? "List" : "Files"; });

using VerifyFilesTest = VerifyTest;

// The folder itself says what the index does not fit.
TEST_P(VerifyFilesTest, FilesThatAreNewOrGoneAreNamed) {
  const auto said = [&](const std::string& folder) {
    return words_of(files_in(folder, {.index = index_, .verify = Verify::always}).left_out());
  };
  EXPECT_EQ(said(folder_.string()),
            "left out 1 with the ending .csv (first: '" + (folder_ / "list.csv").string() + "')");
  for (const char* const slashes : {"/", "//", "/./"})
    EXPECT_EQ(said(folder_.string() + slashes).find("index"), std::string::npos) << slashes;
  fs::remove(path(3));
  std::ofstream(folder_ / "a/new1.jpg") << "new";
  std::ofstream(folder_ / "a/new2.jpg") << "new";
  const std::string both = said(folder_.string());
  EXPECT_NE(both.find("lacks 1 of the files in the index"), std::string::npos) << both;
  EXPECT_NE(both.find("new1.jpg' and 1 more will fail: not in the index"), std::string::npos)
      << both;
  // Names begin below the folder that the index was made of.
  EXPECT_NE(error_of<IoError>([&] {
              said((folder_ / "a").string());
            }).find("no file that is in the index"),
            std::string::npos);
}

// Names begin below the list's folder, however its path is written.
TEST_P(VerifyFilesTest, AListMayLieAnywhere) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "a");
  for (const char* const folder : {"..", "../", "../.", "../a/..", "./../"}) {
    const auto list =
        list_in("../list.csv", {.folder = folder, .index = index_, .verify = Verify::always});
    const Outcome outcome = run(list, 1, 1)[0];
    EXPECT_TRUE(outcome.failed.empty()) << folder << ": " << outcome.error;
  }
  fs::current_path(before);
}

INSTANTIATE_TEST_SUITE_P(Datasets, VerifyFilesTest, ::testing::Values(false),
                         [](const auto&) { return "Files"; });

}  // namespace verify_test
}  // namespace sluice
