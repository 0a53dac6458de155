#include <sluice/graph/pipeline.h>
#include <sluice/io/files.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {
namespace {
namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "sluice-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  std::string refused() const {
    try {
      (void)files_in(root_.string());
    } catch (const IoError& error) {
      return error.what();
    }
    return "no error";
  }
  fs::path root_;
};

TEST_F(FilesTest, LabelsComeFromTheFoldersBelow) {
  write("dog/b.jpg", "1");
  write("cat/deep/a.JPEG", "2");
  write("cat/c.jpe", "3");
  write("cat-2/d.jpg", "4");
  write("cat/notes.txt", "no picture");
  const Files files = files_in(root_.string());
  ASSERT_EQ(files.size(), 4);
  EXPECT_EQ(files.classes(), (std::vector<std::string>{"cat", "cat-2", "dog"}));
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (std::int64_t i = 0; i < 4; ++i) {
    found.emplace_back(fs::path(files.name(i)).lexically_relative(root_).string(), files.label(i));
  }
  const std::vector<std::pair<std::string, std::int64_t>> expected = {
      {"cat-2/d.jpg", 1}, {"cat/c.jpe", 0}, {"cat/deep/a.JPEG", 0}, {"dog/b.jpg", 2}};
  EXPECT_EQ(found, expected);
}

TEST_F(FilesTest, AFlatFolderHasNoLabels) {
  write("b.jpg", "1");
  write("a.jpg", "2");
  const Files files = files_in(root_.string() + "/");
  ASSERT_EQ(files.size(), 2);
  EXPECT_TRUE(files.classes().empty());
  EXPECT_EQ(files.label(0), -1);
  EXPECT_EQ(fs::path(files.name(0)).filename(), "a.jpg");
}

TEST_F(FilesTest, RefusesFoldersWithoutPictures) {
  EXPECT_EQ(refused(),
            "the folder '" + root_.string() +
                "' holds no JPEG files (.jpg, .jpeg, .jpe), nor do the folders below it");
  write("x.png", "");
  EXPECT_NE(refused(), "no error");
  EXPECT_THROW((void)files_in((root_ / "missing").string()), IoError);
  EXPECT_THROW((void)files_in((root_ / "x.png").string()), IoError);
}

// What is no file would block whoever opens it; a link that leads back would list everything again
// and again.
TEST_F(FilesTest, LeavesOutWhatIsNoFileAndNoticesLoops) {
  write("a.jpg", "1");
  ASSERT_EQ(mkfifo((root_ / "pipe.jpg").c_str(), 0600), 0);
  fs::create_symlink("nowhere.jpg", root_ / "dangling.jpg");
  fs::create_symlink("self.jpg", root_ / "self.jpg");
  fs::create_directory(root_ / "folder.jpg");
  const Files files = files_in(root_.string());
  ASSERT_EQ(files.size(), 3);
  EXPECT_EQ(fs::path(files.name(1)).filename(), "dangling.jpg");
  EXPECT_THROW((void)read_file(files.name(1)), IoError);
  EXPECT_THROW((void)read_file(files.name(2)), IoError);
  EXPECT_THROW((void)read_file((root_ / "pipe.jpg").string()), IoError);
  fs::create_directory_symlink(".", root_ / "again");
  EXPECT_NE(refused().find("holds a link that leads back to a folder above it"), std::string::npos)
      << refused();
}

TEST_F(FilesTest, ReadsWholeFilesAndSaysWhichItCannot) {
  const std::string text(100000, 'x');
  write("big.jpg", text);
  write("empty.jpg", "");
  const Bytes bytes = read_file((root_ / "big.jpg").string());
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), text);
  EXPECT_EQ(read_file((root_ / "empty.jpg").string()).size(), 0u);
  const std::string gone = (root_ / "gone.jpg").string();
  try {
    (void)read_file(gone);
    FAIL();
  } catch (const IoError& error) {
    EXPECT_EQ(std::string(error.what()),
              "'" + gone + "' cannot be opened: No such file or directory");
  }
  EXPECT_THROW((void)read_file(root_.string()), IoError);
}

// A file that vanishes costs its sample, and the error says which file it was.
TEST_F(FilesTest, AFileThatVanishesIsTheErrorOfItsSample) {
  for (const char* name : {"a.jpg", "b.jpg", "c.jpg"}) write(name, name);
  auto pipeline =
      make_pipeline({.batch_size = 3, .threads = 2, .on_error = OnError::skip}, [&](Graph& g) {
        auto [jpeg, label] = g.read(files_in(root_.string()));
        return std::tuple{
            g.map(
                "text", [](const Bytes& b) { return std::string(b.begin(), b.end()); }, jpeg),
            label};
      });
  fs::remove(root_ / "b.jpg");
  const auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch.has_value());
  ASSERT_EQ(batch->size(), 2u);
  EXPECT_EQ(batch->get<0>()[0], "a.jpg");
  EXPECT_EQ(batch->get<0>()[1], "c.jpg");
  ASSERT_EQ(batch->errors().size(), 1u);
  EXPECT_EQ(batch->errors()[0].source, (root_ / "b.jpg").string());
  EXPECT_EQ(batch->errors()[0].step, "read");
}

}  // namespace
}  // namespace sluice
