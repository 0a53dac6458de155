#include <sluice/graph/pipeline.h>
#include <sluice/io/readers/files.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sluice {
namespace files_test {
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
  // The error, with names below the folder of the test.
  static std::string error_of(const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  std::string refused(const FilesOptions& options = {}) const {
    return error_of([&] { (void)files_in(root_.string(), options); });
  }
  // "3 with the ending .png, a/1.png" for each entry.
  std::vector<std::string> left_out(const Files& files) const {
    std::vector<std::string> all;
    for (const LeftOut& one : files.left_out()) {
      all.push_back((one.unreadable ? "" : std::to_string(one.count) + " ") + one.reason + ", " +
                    fs::path(one.path).lexically_relative(root_).string());
    }
    return all;
  }
  std::vector<std::int64_t> labels(const Files& files) const {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < files.size(); ++i) all.push_back(files.label(i));
    return all;
  }
  fs::path root_;
};

TEST_F(FilesTest, EndingsSayWhichFilesCount) {
  for (const char* name : {"a.jpg", "b.PNG", "c.tar.png", "d.txt", ".png", "png"}) write(name, "x");
  const Files files = files_in(root_.string(), {.endings = {".png", ".webp"}});
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files.name(0), (root_ / "b.PNG").string());
  EXPECT_EQ(files.name(1), (root_ / "c.tar.png").string());
  const std::string error = refused({.endings = {".gif", ".webp"}});
  for (const std::string& part :
       {"the folder '" + root_.string() +
            "' holds no files (.gif, .webp), nor do the folders below it; left out 1 with the "
            "ending .jpg (first: '",
        std::string("1 with the ending .png (first: '"), std::string("1 without an ending"),
        std::string("; convert them to JPEG, or give their endings to the source")})
    EXPECT_NE(error.find(part), std::string::npos) << part << error;
}

TEST_F(FilesTest, LabelsComeFromTheFoldersBelow) {
  write("dog/b.jpg", "1");
  write("cat/deep/a.JPEG", "2");
  write("cat/c.jpe", "3");
  write("cat-2/d.jpg", "4");
  write("cat/notes.txt", "no image");
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

TEST_F(FilesTest, TheFingerprintIsOfThePathsBelow) {
  for (const char* name : {"one/cat/a.jpg", "one/dog/b.jpg", "two/cat/a.jpg", "two/dog/b.jpg"})
    write(name, name);
  const auto print = [this](const char* folder) {
    return files_in((root_ / folder).string()).fingerprint();
  };
  const std::string known = print("one");
  EXPECT_EQ(print("two"), known);
  EXPECT_EQ(print("two/"), known);
  fs::rename(root_ / "two/dog", root_ / "two/cow");
  EXPECT_NE(print("two"), known);
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

TEST_F(FilesTest, RefusesFoldersWithoutImages) {
  EXPECT_EQ(refused(),
            "the folder '" + root_.string() +
                "' holds no JPEG files (.jpg, .jpeg, .jpe), nor do the folders below it");
  write("x.png", "");
  write("y/z.WEBP", "");
  write("y/z.txt", "");
  EXPECT_EQ(
      refused(),
      "the folder '" + root_.string() +
          "' holds no JPEG files (.jpg, .jpeg, .jpe), nor do the folders below it; left out 1 "
          "with the ending .png (first: '" +
          root_.string() + "/x.png'); 1 with the ending .WEBP (first: '" + root_.string() +
          "/y/z.WEBP'); 1 with the ending .txt (first: '" + root_.string() +
          "/y/z.txt'); convert them to JPEG, or give their endings to the source (`endings`) "
          "and decode them with decode_image");
  EXPECT_THROW((void)files_in((root_ / "missing").string()), IoError);
  EXPECT_THROW((void)files_in((root_ / "x.png").string()), IoError);
}

// If a class without readable files were dropped, the numbers of later classes would shift.
TEST_F(FilesTest, AClassWithoutFilesKeepsItsNumberOrIsAnError) {
  for (const char* name : {"ant/1.jpg", "cow/1.jpg", "dog/deep/1.jpg"}) write(name, "x");
  const std::vector<std::string> without = {"bee/1.png", "bee/.1.jpg", "bee/deep/notes", ""};
  for (const std::string& file : without) {
    fs::create_directories(root_ / "bee");
    if (!file.empty()) write(file, "x");
    EXPECT_NE(refused().find("has classes without JPEG files (.jpg, .jpeg, .jpe): bee"),
              std::string::npos)
        << file << ": " << refused();
    const Files files = files_in(root_.string(), {.allow_empty = true});
    EXPECT_EQ(files.classes(), (std::vector<std::string>{"ant", "bee", "cow", "dog"})) << file;
    EXPECT_EQ(labels(files), (std::vector<std::int64_t>{0, 2, 3})) << file;
    EXPECT_EQ(left_out(files).front(), "1 of the classes, without files; their numbers stay, bee")
        << file;
    fs::remove_all(root_ / "bee");
  }
  // A folder that cannot be read may be a class.
  fs::create_directory_symlink("nowhere", root_ / "bee");
  const Files files = files_in(root_.string(), {.unreadable = Unreadable::leave_out});
  EXPECT_EQ(labels(files), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(left_out(files), std::vector<std::string>{"a link that leads nowhere, bee"});
}

// If all files lie in the folder itself, there are no classes.
TEST_F(FilesTest, AFolderBesideFilesIsNoClass) {
  write("1.jpg", "x");
  write("notes/1.txt", "x");
  const Files files = files_in(root_.string());
  EXPECT_EQ(labels(files), std::vector<std::int64_t>{-1});
  EXPECT_TRUE(files.classes().empty());
}

TEST_F(FilesTest, AListOfClassesFixesTheirNumbers) {
  for (const char* name : {"cow/1.jpg", "ant/1.jpg"}) write(name, "x");
  EXPECT_EQ(labels(files_in(root_.string(), {.classes = {"cow", "bee", "ant"}})),
            (std::vector<std::int64_t>{2, 0}));
  const std::string folder = "the folder '" + root_.string() + "' ";
  EXPECT_EQ(refused({.classes = {"ant", "bee"}}),
            folder + "has classes that are not in .classes: cow; .classes has ant, bee");
  EXPECT_EQ(refused({.classes = {"ant", "cow", "ant"}}),
            "files_in: .classes has 'ant' twice; give the name of each class folder once");
  EXPECT_NE(refused({.classes = {""}}), "no error");
  write("1.jpg", "x");
  EXPECT_EQ(refused({.classes = {"ant", "cow"}}), folder + "has a file in no class: '" +
                                                      (root_ / "1.jpg").string() +
                                                      "'; .classes has ant, cow");
}

TEST_F(FilesTest, ClassesOfTwoFoldersAreCompared) {
  for (const char* name : {"train/ant/1.jpg", "train/bee/1.jpg", "val/ant/1.jpg", "val/cow/1.jpg"})
    write(name, "x");
  const auto compared = [&](const FilesOptions& options) {
    return error_of([&] {
      require_same_classes(files_in((root_ / "train").string()),
                           files_in((root_ / "val").string(), options));
    });
  };
  const std::string folders = "the classes of '" + (root_ / "train").string() + "' and '" +
                              (root_ / "val").string() + "' differ";
  EXPECT_EQ(compared({}).substr(0, folders.size()), folders);
  EXPECT_NE(compared({}).find("' has bee; only '"), std::string::npos) << compared({});
  fs::rename(root_ / "val/cow", root_ / "val/bee");
  EXPECT_EQ(compared({}), "no error");
  EXPECT_NE(compared({.classes = {"bee", "ant"}}).find("in another order"), std::string::npos);
}

TEST_F(FilesTest, AllThatIsNotReadIsCounted) {
  for (const char* name : {"ant/1.jpg", "ant/2.png", "bee/1.jpg", "bee/3.png", "bee/4.PNG",
                           "bee/README", "bee/.5.jpg", ".cat/1.jpg"})
    write(name, "x");
  ASSERT_EQ(mkfifo((root_ / "ant/pipe.jpg").c_str(), 0600), 0);
  const Files files = files_in(root_.string());
  EXPECT_EQ(files.size(), 2);
  EXPECT_EQ(
      left_out(files),
      (std::vector<std::string>{
          "2 hidden: a name that begins with a dot, .cat", "2 with the ending .png, ant/2.png",
          "1 that are pipes, sockets or devices, ant/pipe.jpg", "1 with the ending .PNG, bee/4.PNG",
          "1 without an ending, bee/README"}));
  EXPECT_EQ(words_of(files.left_out()).substr(0, 10), "left out 2");
  EXPECT_EQ(words_of({}), "");
}

// Folders that link to each other are read once in each class.
TEST_F(FilesTest, LinksAmongFoldersAreFollowedOnce) {
  constexpr int kFolders = 12;  // 12! ways through them
  const auto folder = [this](int i) { return root_ / std::string(1, static_cast<char>('a' + i)); };
  for (int i = 0; i < kFolders; ++i) write(folder(i).filename().string() + "/1.jpg", "x");
  for (int i = 0; i < kFolders; ++i) {
    for (int to = 0; to < kFolders; ++to)
      if (to != i) fs::create_directory_symlink(folder(to), folder(i) / folder(to).filename());
  }
  const Files files = files_in(root_.string(), {.unreadable = Unreadable::leave_out});
  EXPECT_EQ(files.size(), kFolders * kFolders);
  EXPECT_EQ(files.name(0), (root_ / "a/1.jpg").string());
  EXPECT_EQ(files.name(1), (root_ / "a/b/1.jpg").string());
  EXPECT_EQ(files.name(2), (root_ / "a/b/c/1.jpg").string());
  for (int i = 0; i < kFolders; ++i) EXPECT_EQ(files.label(i * kFolders), i);
  EXPECT_NE(refused().find("a link that leads back to a folder above it"), std::string::npos);
}

// A folder that two links of a class lead to is read once; another class reads it, too.
TEST_F(FilesTest, AFolderIsReadOnceInAClass) {
  write("store/1.jpg", "x");
  for (const char* name : {"train/ant", "train/bee"}) fs::create_directories(root_ / name);
  for (const char* name : {"train/ant/x", "train/ant/y", "train/bee/z"})
    fs::create_directory_symlink(root_ / "store", root_ / name);
  const Files files = files_in((root_ / "train").string());
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files.name(0), (root_ / "train/ant/x/1.jpg").string());
  EXPECT_EQ(labels(files), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(left_out(files), std::vector<std::string>{
                                 "1 that were read under another path of the class, train/ant/y"});
}

// Opening anything but a file would block.
TEST_F(FilesTest, LeavesOutWhatIsNoFile) {
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
}

TEST_F(FilesTest, HiddenEntriesAreLeftOutAndCounted) {
  for (const char* name : {"a.jpg", ".b.jpg", "._a.jpg", ".thumbs/c.jpg", ".thumbs/d.jpg",
                           "cat/.e.JPG", ".notes.txt", "cat/f.jpg"})
    write(name, name);
  const Files files = files_in(root_.string());
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files.name(0), (root_ / "a.jpg").string());
  EXPECT_EQ(files.name(1), (root_ / "cat/f.jpg").string());
  EXPECT_EQ(left_out(files),
            std::vector<std::string>{"4 hidden: a name that begins with a dot, ._a.jpg"});
  EXPECT_EQ(files.classes(), std::vector<std::string>{"cat"});
  // The requested folder may have any name.
  EXPECT_EQ(files_in((root_ / ".thumbs").string()).size(), 2);
}

// Links that lead back or nowhere, and paths that are too long, cost only themselves.
TEST_F(FilesTest, WhatCannotBeReadIsNamedAndMayBeLeftOut) {
  write("cat/a.jpg", "1");
  write("zebra.jpg", "2");
  fs::create_directory_symlink("..", root_ / "cat/back");
  fs::create_directory_symlink("missing", root_ / "gone");
  fs::create_symlink("round", root_ / "round");
  fs::path deep = root_ / "deep";
  fs::create_directory(deep);
  const fs::path here = fs::current_path();
  fs::current_path(deep);
  for (int i = 0; i < 30; ++i) {  // of 200 letters each: more than a path may have
    fs::create_directory(std::string(200, 'd'));
    fs::current_path(std::string(200, 'd'));
  }
  fs::current_path(here);
  EXPECT_NE(refused().find("cannot be read as a whole: '" + (root_ / "cat/back").string() +
                           "': a link that leads back to a folder above it (and 3 more)"),
            std::string::npos)
      << refused();
  const Files files = files_in(root_.string(), {.unreadable = Unreadable::leave_out});
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files.label(0), 0);
  ASSERT_EQ(files.left_out().size(), 4u);
  const std::pair<std::string, std::string> expected[] = {
      {"cat/back", "a link that leads back to a folder above it"},
      {"deep/", "File name too long"},
      {"gone", "a link that leads nowhere"},
      {"round", "Too many levels of symbolic links"}};
  for (std::size_t i = 0; i < 4; ++i) {
    const LeftOut& left_out = files.left_out()[i];
    EXPECT_EQ(left_out.path.rfind((root_ / expected[i].first).string(), 0), 0u) << left_out.path;
    EXPECT_EQ(left_out.reason, expected[i].second);
  }
}

TEST_F(FilesTest, ALockedFolderIsNamedAndMayBeLeftOut) {
  // Nothing is locked for root.
  struct AsNobody {
    AsNobody() : was(geteuid()) {
      if (was == 0) is = seteuid(65534) == 0;
    }
    ~AsNobody() {
      if (seteuid(was) != 0) std::abort();
    }
    const uid_t was;
    bool is = true;
  };
  write("a.jpg", "1");
  write("locked/b.jpg", "2");
  write("listed/c.jpg", "3");
  write("listed/below/d.jpg", "4");
  fs::permissions(root_, fs::perms::all);
  fs::permissions(root_ / "locked", fs::perms::none);
  fs::permissions(root_ / "listed", fs::perms(0444));
  {
    const AsNobody nobody;
    if (!nobody.is) GTEST_SKIP() << "the user cannot be changed here";
    std::error_code error;
    if (!fs::exists(root_ / "a.jpg", error))
      GTEST_SKIP() << "other users may not come to this place";
    const Files files = files_in(root_.string(), {.unreadable = Unreadable::leave_out});
    std::string found;
    for (std::int64_t i = 0; i < files.size(); ++i)
      found += fs::path(files.name(i)).lexically_relative(root_).string() + " ";
    for (const LeftOut& left_out : files.left_out())
      found += "-" + fs::path(left_out.path).lexically_relative(root_).string() + ":" +
               left_out.reason + " ";
    EXPECT_EQ(found,
              "a.jpg listed/c.jpg -listed/below:Permission denied -locked:Permission denied ");
    EXPECT_THROW((void)files_in((root_ / "locked").string(), {.unreadable = Unreadable::leave_out}),
                 IoError);
    EXPECT_NE(refused(), "no error");
  }
  for (const char* name : {"locked", "listed"}) fs::permissions(root_ / name, fs::perms::all);
}

TEST_F(FilesTest, ErrorsShowNamesWithoutControlCharacters) {
  write("a\x1b[2J\n.jpg", "");
  try {
    (void)read_file((root_ / "b\x1b[2J\n.jpg").string());
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("b\\x1b[2J\\n.jpg' cannot be opened"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(files_in(root_.string()).name(0), (root_ / "a\x1b[2J\n.jpg").string());
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

}  // namespace files_test
}  // namespace sluice
