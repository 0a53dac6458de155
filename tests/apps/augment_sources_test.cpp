// `sluice augment` with lists, archives, random orders and worker processes.
#include "apps/output_paths.h"
#include "demo_folder.h"
#include "program.h"
#include "tests/io/readers/tar_writer.h"

#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace sluice::app {
namespace augment_sources_test {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

class AugmentSources : public ::testing::Test {
 protected:
  void SetUp() override { data_ = write_demo_images(); }
  fs::path path(const std::string& name) const { return test_folder() / name; }
  Ran augment(const std::string& out, const std::string& options) const {
    return run_program("augment --out " + path(out).string() + " " + options);
  }
  Files results(const std::string& out) const { return files_below(path(out)); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  std::string image_text(const std::string& name) const { return text_of(data_ / name); }
  std::string folder() const { return "--data " + data_.string() + " "; }

  fs::path data_;
};

TEST_F(AugmentSources, AListGivesWhatItsFolderGives) {
  std::string rows = "path,label\n";
  for (const auto& [name, bytes] : files_below(data_)) rows += "data/" + name + ",3\n";
  write("list.csv", rows);
  ASSERT_EQ(augment("folder", folder()).status, 0);
  const Ran ran = augment("list", "--list " + path("list.csv").string());
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.out.find(" rows of "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("data/damaged.jpg (sample "), std::string::npos) << ran.out;
  EXPECT_EQ(images_of(results("list")), images_of(results("folder")));
  for (const auto& [name, bytes] : results("list"))
    EXPECT_TRUE(results("folder").contains(name.substr(5))) << name;
}

TEST_F(AugmentSources, RowsThatAreWrongCostThemselves) {
  write("list.csv", "file,label\ndata/arrow.jpg,1\ndata/none.jpg,2\ndata/boat.jpg,x\n");
  const std::string list = "--list " + path("list.csv").string() + " --path file";
  const Ran plain = augment("plain", list);
  EXPECT_EQ(plain.status, 0) << plain.errors;
  EXPECT_EQ(names_of(results("plain")), "data/arrow_000000.jpg data/boat_000002.jpg ");
  const Ran labeled = augment("labeled", list + " --label label");
  EXPECT_EQ(labeled.status, 0) << labeled.errors;
  EXPECT_EQ(names_of(results("labeled")), "data/arrow_000000.jpg ");
  EXPECT_NE(labeled.out.find("line 4"), std::string::npos) << labeled.out;
}

// Results stay in --out, whatever the names are, and none replaces another.
TEST_F(AugmentSources, NamesFromElsewhereStayInTheFolder) {
  const std::string a = image_text("arrow.jpg");
  TarWriter tar;
  for (const std::string name : {"../../evil", "/etc/evil", "x/y", "x_000001.jpg/z", "x"})
    tar.file(name + ".jpg", a);
  write("v1.0.tar", tar.whole());
  write("other.tar", TarWriter().file("x/y.jpg", a).file("x/y.cls", "1").whole());
  fs::create_directories(path("sub"));
  write("sub/list.csv", "path\n../data/arrow.jpg\n" + (data_ / "arrow.jpg").string() +
                            "\n./../sub/../data/arrow.jpg\n");
  const Files before = results("");
  const Ran ran = augment("tar", "--tar '" + path("*.tar").string() + "'");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(names_of(results("tar")),
            "other/x/y_000000.jpg v1.0/etc/evil_000002.jpg v1.0/evil_000001.jpg "
            "v1.0/x/y_000003.jpg v1.0/x_000001.jpg_/z_000004.jpg v1.0/x_000005.jpg ");
  ASSERT_EQ(augment("list", "--list " + path("sub/list.csv").string()).status, 0);
  EXPECT_EQ(results("list").size(), 3u);
  fs::remove_all(path("tar"));
  fs::remove_all(path("list"));
  Files after = results("");
  after.erase("stderr.txt");
  EXPECT_EQ(names_of(after), names_of(before));
}

TEST_F(AugmentSources, ArchivesResumeAndShardLikeFolders) {
  TarWriter tar;
  for (const auto& [name, bytes] : files_below(data_)) tar.file("t/" + name, bytes);
  write("a.tar", tar.whole());
  const std::string options = "--epochs 2 --flat --tar " + path("a.tar").string() + " ";
  ASSERT_EQ(augment("one", options).status, 0);
  for (const std::string shard : {"1/3", "0/3", "2/3"})
    ASSERT_EQ(augment("many", options + "--batch 3 --shard " + shard).status, 0);
  EXPECT_EQ(results("many"), results("one"));
  const Files one = results("one");
  fs::remove(path("one") / one.begin()->first);
  const Ran ran = augment("one", options + "--resume");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(results("one"), one);
}

// If not all samples are wanted, the order decides which ones there are. It decides nothing else.
TEST_F(AugmentSources, AShuffledRunGivesTheSameResults) {
  ASSERT_EQ(augment("one", folder() + "--epochs 2").status, 0);
  ASSERT_EQ(augment("shuffled", folder() + "--epochs 2 --shuffle --batch 5").status, 0);
  EXPECT_EQ(results("shuffled"), results("one"));
  ASSERT_EQ(augment("some", folder() + "--count 20 --shuffle").status, 0);
  const Files some = results("some");
  EXPECT_GE(some.size(), 18u);
  const Files all = results("one");
  for (const auto& [name, bytes] : some) EXPECT_TRUE(all.at(name) == bytes) << name;
  ASSERT_EQ(augment("first", folder() + "--count 20").status, 0);
  EXPECT_NE(names_of(results("first")), names_of(some));
  for (const std::string shard : {"1/2", "0/2"})
    ASSERT_EQ(augment("parts", folder() + "--count 20 --shuffle --shard " + shard).status, 0);
  EXPECT_EQ(results("parts"), some);
}

TEST_F(AugmentSources, WorkersGiveTheSame) {
  for (const std::string options : {"", "--on-error replace --shuffle", "--recipe train"}) {
    SCOPED_TRACE(options);
    for (const char* out : {"one", "workers"}) fs::remove_all(path(out));
    ASSERT_EQ(augment("one", folder() + options).status, 0);
    const Ran ran = augment("workers", folder() + "--workers 2 " + options);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(results("workers"), results("one"));
  }
}

TEST_F(AugmentSources, AWorkerThatIsKilledCostsNothing) {
  const std::vector<std::string> options = {"--data", data_.string(), "--count",
                                            "300",    "--batch",      "8"};
  const auto arguments = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> all = {"augment", "--out", path(out).string()};
    all.insert(all.end(), options.begin(), options.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(Started(arguments("one", {})).finish().status, 0);
  Started run(arguments("workers", {"--workers", "2"}));
  std::vector<pid_t> workers;
  ASSERT_TRUE(run.wait_until([&] {
    workers = run.workers();
    return !workers.empty() && fs::exists(path("workers")) && !fs::is_empty(path("workers"));
  }));
  EXPECT_EQ(kill(workers.front(), SIGKILL), 0);
  const Ran ran = run.finish();
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(results("workers") == results("one")) << ran.out;
}

}  // namespace augment_sources_test
}  // namespace sluice::app
