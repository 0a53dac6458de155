// sluice cat, and sluice index --tar.
#include "program.h"
#include "tests/io/readers/tar_writer.h"

#include <csignal>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>

namespace sluice::app {
namespace cat_test {

namespace fs = std::filesystem;

class CatTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return path(name);
  }
  std::string archive(const std::string& name) const {
    return write(
        name + ".tar",
        TarWriter().file("x/1.jpg", "one").file("x/1.cls", "1").file("x/2.png", "22").whole());
  }
  const fs::path folder_ = test_folder();
};

TEST_F(CatTest, AFolderHasNamesSizesAndClasses) {
  write("data/dog/a.jpg", "12345");
  write("data/cat/tab\there.jpg", "");
  fs::create_symlink("gone", path("data/cat/z.jpg"));
  const Ran ran = run_program("cat --data " + path("data"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "0\t" + path("data/cat/tab\\there.jpg") + "\t0\t0\n1\t" +
                         path("data/cat/z.jpg") + "\t-\t0\n2\t" + path("data/dog/a.jpg") +
                         "\t5\t1\n");
  EXPECT_EQ(ran.errors, "sluice: '" + path("data/cat/z.jpg") +
                            "' cannot be examined: No such file or directory\n");
  EXPECT_EQ(run_program("cat --head 1 --data " + path("data")).out,
            "0\t" + path("data/cat/tab\\there.jpg") + "\t0\t0\n");
}

TEST_F(CatTest, AShuffledOrderIsCutIntoShards) {
  for (char name = 'a'; name <= 'z'; ++name) write(std::string("data/") + name + ".jpg", "1");
  const std::string command = "cat --data " + path("data");
  const std::string in_order = run_program(command).out;
  const std::string shuffled = run_program(command + " --shuffle").out;
  EXPECT_NE(shuffled, in_order);
  EXPECT_NE(run_program(command + " --shuffle --seed 6").out, shuffled);
  const auto lines = [](const std::string& text) {
    std::multiset<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.insert(line);
    return all;
  };
  EXPECT_EQ(lines(shuffled), lines(in_order));
  std::string parts;
  for (const std::string shard : {"0/3", "1/3", "2/3"})
    parts += run_program(command + " --shuffle --shard " + shard).out;
  EXPECT_EQ(parts, shuffled);
  EXPECT_EQ(run_program(command + " --shuffle --head 5").out,
            shuffled.substr(0, run_program(command + " --shuffle --head 5").out.size()));
}

TEST_F(CatTest, AListHasTheColumnsThatAreAskedFor) {
  write("a.jpg", "12345");
  const std::string list = write("x.csv", "file,label,note\na.jpg,3,good\n\nb.jpg,,\nc.jpg\n");
  const Ran ran = run_program("cat --list " + list + " --path file --columns note,label");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, "0\t" + path("a.jpg") + "\t5\tgood\t3\n1\t" + path("b.jpg") + "\t-\t\t\n2\t" +
                         list + ":5\t-\t-\t-\n");
  EXPECT_EQ(ran.errors, "sluice: '" + path("b.jpg") +
                            "' cannot be examined: No such file or directory\nsluice: the list '" +
                            list + "', line 5: the row has 1 field, but the list has 3 columns\n");
  const Ran wrong = run_program("cat --list " + list);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.errors, "sluice: --list: the list '" + list +
                              "' has no column 'path'; its columns are 'file', 'label', 'note'; "
                              "name the column of the files (the program: --path NAME)\n");
}

TEST_F(CatTest, ArchivesHaveTheFilesOfEachSample) {
  const std::string a = archive("a");
  const std::string lines = "0\t" + a + "/x/1\t4\tjpg:3 cls:1\n1\t" + a + "/x/2\t2\tpng:2\n";
  const Ran ran = run_program("cat --tar " + a);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, lines);
  const Ran index =
      run_program("index --tar " + a + " " + archive("b") + " --out " + path("new/offsets"));
  EXPECT_EQ(index.status, 0) << index.errors;
  EXPECT_EQ(index.out, path("new/offsets") + ": 6 files in 2 archives, 0.00 MB\n");
  EXPECT_EQ(run_program("cat --offsets " + path("new/offsets") + " --tar " + a).out, lines);
  EXPECT_EQ(run_program("index --tar " + a + " --out " + path("new/offsets")).status, 0);
  fs::resize_file(a, 1000);
  const Ran cut = run_program("cat --offsets " + path("new/offsets") + " --tar " + a);
  EXPECT_EQ(cut.status, 2);
  EXPECT_NE(cut.errors.find("does not match the archive"), std::string::npos) << cut.errors;
  const Ran unreadable = run_program("index --tar " + a + " --out " + path("new/cut"));
  EXPECT_EQ(unreadable.status, 2);
  EXPECT_EQ(unreadable.errors.rfind("sluice: --tar: the archive '" + a + "', at byte ", 0), 0u)
      << unreadable.errors;
  EXPECT_FALSE(fs::exists(path("new/cut")));
}

TEST_F(CatTest, OfAPipeWhatItHasIsToldAsItComes) {
  const std::string a = archive("a");
  const std::string cat = std::string(SLUICE_PROGRAM) + " cat --tar - ";
  const Ran ran = run_command("cat " + a + " | " + cat + a);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.out, "0\t-/x/1\t4\tjpg:3 cls:1\n1\t-/x/2\t2\tpng:2\n2\t" + a +
                         "/x/1\t4\tjpg:3 cls:1\n3\t" + a + "/x/2\t2\tpng:2\n");
  EXPECT_EQ(run_command(cat + "--head 1 < " + a).out, "0\t-/x/1\t4\tjpg:3 cls:1\n");
  const Ran cut = run_command("head -c 1600 " + a + " | " + cat);
  EXPECT_EQ(cut.status, 1);
  EXPECT_EQ(cut.out, "0\t-/x/1\t4\tjpg:3 cls:1\n");
  EXPECT_EQ(cut.errors,
            "sluice: left out -: the archive '-' (the standard input), at byte 2048: it has no end "
            "marker: it was truncated, or is still being written\n");
}

TEST_F(CatTest, WhoReadsNoMoreEndsItWithoutAWord) {
  std::string list = "path,label\n";
  for (int i = 0; i < 50'000; ++i) list += "/dev/null," + std::to_string(i) + "\n";
  write("x.csv", list);
  const Ran ran = run_command("{ (trap '' PIPE; " + std::string(SLUICE_PROGRAM) + " cat --list " +
                              path("x.csv") + "; echo $? >&2) | head -n 1; }");
  EXPECT_EQ(ran.out, "0\t/dev/null\t0\t0\n");
  EXPECT_EQ(ran.errors, std::to_string(128 + SIGPIPE) + "\n");
}

}  // namespace cat_test
}  // namespace sluice::app
