// Real files for tests: a folder of good, odd and hostile JPEG files with the reference decoder's
// verdict on each, and a folder of photographs. SLUICE_TEST_DATA names their parent; without it,
// tests skip.
#pragma once

#include "tests/one_in.h"
#include "tests/tried.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {

using File = std::vector<std::uint8_t>;

inline File read_test_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// One line of manifest.tsv, by the names of its columns.
using Entry = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

class JpegCorpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("SLUICE_TEST_DATA");
    if (folder == nullptr) {
      GTEST_SKIP() << "set SLUICE_TEST_DATA to a folder that holds jpeg-corpus/manifest.tsv with "
                      "its files, and photos/";
    }
    root_ = folder;
    std::ifstream manifest(root_ / "jpeg-corpus" / "manifest.tsv");
    ASSERT_TRUE(manifest) << "no jpeg-corpus/manifest.tsv in " << root_;
    std::string line;
    std::getline(manifest, line);
    const std::vector<std::string> names = split(line);
    for (int number = 0; std::getline(manifest, line); ++number) {
      if (number % part() != 0) continue;
      const std::vector<std::string> fields = split(line);
      Entry entry;
      for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) {
        entry[names[i]] = fields[i];
      }
      entries_.push_back(entry);
    }
    ASSERT_GT(entries_.size(), 100u);
  }

  std::vector<Entry> entries_of(const std::string& class_start) const {
    std::vector<Entry> chosen;
    for (const Entry& e : entries_) {
      if (e.at("class").starts_with(class_start)) chosen.push_back(e);
    }
    return chosen;
  }
  // Tests take one of every part() files.
  static int part() { return testing::one_in(2, 4); }
  File read(const Entry& entry) const {
    const bool is_bomb = entry.at("class").starts_with("bad/limit");
    testing::tried(is_bomb ? "bombs" : "corpus");
    return read_test_file(root_ / "jpeg-corpus" / entry.at("path"));
  }
  std::vector<File> photos() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& item : std::filesystem::directory_iterator(root_ / "photos")) {
      if (item.path().extension() == ".jpg" || item.path().extension() == ".JPEG" ||
          item.path().extension() == ".jpeg") {
        paths.push_back(item.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    std::vector<File> files;
    for (std::size_t i = 0; i < paths.size(); i += static_cast<std::size_t>(testing::one_in(1, 8)))
      files.push_back(read_test_file(paths[i]));
    return files;
  }

  std::filesystem::path root_;
  std::vector<Entry> entries_;
};

}  // namespace sluice
