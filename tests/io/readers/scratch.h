// ScratchTest: a test with a folder of its own, which is removed after the test. Its error_of()
// returns the message that a function throws.
#pragma once

#include <sluice/io/readers/files.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace sluice {

class ScratchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  // Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    // A new file: some file systems wait for the disk when an old one is truncated and rewritten.
    std::filesystem::remove(root_ / name);
    std::ofstream(root_ / name, std::ios::binary) << content;
    return path(name);
  }
  // Returns an error's message, without the folder's name.
  template <class F>
  std::string error_of(const F& f) const {
    try {
      f();
    } catch (const Error& error) {
      std::string text = error.what();
      const std::string folder = root_.string() + "/";
      for (std::size_t at = 0; (at = text.find(folder)) != std::string::npos;)
        text.erase(at, folder.size());
      return text;
    }
    return "no error";
  }
  std::filesystem::path root_;
};

inline std::string text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace sluice
