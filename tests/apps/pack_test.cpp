// sluice pack and sluice unpack, and the commands that read packs.
#include "annotated_lists.h"
#include "apps/pack_source.h"
#include "benchmarks/bench/delaying_server.h"
#include "demo_folder.h"
#include "program.h"
#include "tests/io/readers/tar_writer.h"
#include <sluice/io/http/request.h>
#include <sluice/io/packs/pack_writer.h>
#include <sluice/io/readers/files.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

namespace sluice::app {
namespace pack_test {

namespace fs = std::filesystem;
using FilesBelow = std::map<std::string, std::string>;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The demo images in two classes, and a file that is no image.
class PackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path all = write_demo_images();
    for (const char* name : {"cat", "dog"}) fs::create_directories(data_ / name);
    int number = 0;
    for (const auto& [name, bytes] : files_below(all))
      fs::rename(all / name, data_ / (number++ % 2 == 0 ? "cat" : "dog") / name);
    std::ofstream(data_ / "dog/text.jpg") << "no image";
    files_ = number + 1;
  }
  static std::string path(const std::string& name) { return (test_folder() / name).string(); }
  Ran pack(const std::string& out, const std::string& options = "") const {
    return run_program("pack --data " + data_.string() + " --out " + path(out) + " " + options);
  }
  static Ran unpack(const std::string& packs, const std::string& out,
                    const std::string& options = "") {
    return run_program("unpack " + path(packs) + " --out " + path(out) + " " + options);
  }

  const fs::path data_ = test_folder() / "classes";
  std::int64_t files_ = 0;
};

TEST_F(PackTest, UnpackGivesBackTheFiles) {
  const Ran packed = pack("packs", "--pack-size 50KB --verify");
  ASSERT_EQ(packed.status, 0) << packed.errors;
  const std::string all = std::to_string(files_) + " files";
  EXPECT_TRUE(says(packed.out, all + " in " + data_.string() + "; columns name, label\n"))
      << packed.out;
  EXPECT_TRUE(says(packed.out, "packed " + all + " in ")) << packed.out;
  EXPECT_TRUE(says(packed.out, "2 of them are stored without packing:\n  1 file: ")) << packed.out;
  EXPECT_TRUE(says(packed.out, path("packs") + ": ")) << packed.out;
  EXPECT_TRUE(says(packed.out, " times the ")) << packed.out;
  EXPECT_TRUE(says(packed.out, "verified " + all + " in ")) << packed.out;
  EXPECT_GT(files_below(path("packs")).size(), 1u);
  const Ran unpacked = unpack("packs", "out");
  EXPECT_EQ(unpacked.status, 0) << unpacked.errors;
  EXPECT_TRUE(says(unpacked.out, "unpacked " + all + ", ")) << unpacked.out;
  EXPECT_TRUE(files_below(path("out")) == files_below(data_));
}

TEST_F(PackTest, ThePacksDoNotDependOnTheThreads) {
  ASSERT_EQ(pack("a", "--pack-size 100KB --threads 1").status, 0);
  ASSERT_EQ(pack("b", "--pack-size 100KB --threads 3").status, 0);
  EXPECT_TRUE(files_below(path("a")) == files_below(path("b")));
}

TEST_F(PackTest, ResumeWritesThePacksThatAreMissing) {
  ASSERT_EQ(pack("packs", "--pack-size 50KB").status, 0);
  const FilesBelow all = files_below(path("packs"));
  const Ran refused = pack("packs", "--pack-size 50KB");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.errors, "--out: the folder '" + path("packs") + "' has packs already"))
      << refused.errors;
  fs::remove(fs::path(path("packs")) / all.rbegin()->first);
  std::ofstream(path("packs") + "/.sluice-part-4000000-0") << "cut";
  const Ran resumed = pack("packs", "--pack-size 50KB --resume");
  ASSERT_EQ(resumed.status, 0) << resumed.errors;
  EXPECT_TRUE(says(resumed.out, " in packs already\n")) << resumed.out;
  EXPECT_TRUE(says(resumed.out, ": 1 pack with ")) << resumed.out;
  EXPECT_TRUE(files_below(path("packs")) == all);
  const Ran again = pack("packs", "--resume");
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(says(again.out, "packed 0 files in ")) << again.out;
  fs::remove(data_ / "cat" / fs::directory_iterator(data_ / "cat")->path().filename());
  const Ran other = pack("packs", "--resume");
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(
      says(other.errors, "the packs in '" + path("packs") + "' are of other files: sample "))
      << other.errors;
  EXPECT_TRUE(files_below(path("packs")) == all);
}

TEST_F(PackTest, CtrlCLeavesWholePacks) {
  for (int i = 0; i < 3000; ++i)
    fs::create_hard_link(data_ / "dog/text.jpg", data_ / ("dog/z" + std::to_string(i) + ".jpg"));
  Started run({"pack", "--data", data_.string(), "--out", path("packs"), "--pack-size", "1KB"});
  ASSERT_TRUE(run.wait_until([&] { return fs::exists(path("packs") + "/part-00000.pack"); }));
  run.send(SIGINT);
  const Ran ran = run.finish();
  ASSERT_EQ(ran.status, 130) << ran.errors;
  const std::string mark =
      "stopped early by Ctrl-C; with --resume the same command continues after ";
  ASSERT_TRUE(says(ran.out, mark)) << ran.out;
  const std::int64_t done = std::stoll(ran.out.substr(ran.out.find(mark) + mark.size()));
  EXPECT_GT(done, 0);
  EXPECT_LT(done, files_ + 3000);
  const std::string cat = "cat --pack " + path("packs");
  EXPECT_EQ(lines_of(run_program(cat).out).size(), static_cast<std::size_t>(done));
  const Ran resumed = pack("packs", "--resume --count " + std::to_string(done + 3));
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  EXPECT_TRUE(says(resumed.out, "packed 3 files in ")) << resumed.out;
  EXPECT_EQ(lines_of(run_program(cat).out).size(), static_cast<std::size_t>(done + 3));
}

// A pack takes long to make. It is dropped, unless it is complete.
TEST_F(PackTest, CtrlCDropsThePackThatIsBeingMade) {
  const std::string arrow = text_of(data_ / "cat/arrow.jpg");
  // The first file fills a pack of its own. The others are one pack.
  std::ofstream(data_ / "cat/a.jpg", std::ios::binary)
      << arrow << std::string(60'000'000, '\1');  // NOLINT(bugprone-string-constructor)
  for (int i = 0; i < 8000; ++i)
    fs::create_hard_link(data_ / "cat/arrow.jpg", data_ / ("cat/b" + std::to_string(i) + ".jpg"));
  const std::string first = path("packs") + "/part-00000.pack";
  Started run({"pack", "--data", data_.string(), "--out", path("packs"), "--pack-size", "60MB"});
  ASSERT_TRUE(run.wait_until([&] { return fs::exists(first); }));
  run.send(SIGINT);
  const Ran ran = run.finish();
  EXPECT_EQ(ran.status, 130) << ran.errors;
  EXPECT_TRUE(says(ran.out, "packed 1 file in ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "with --resume the same command continues after 1 file\n")) << ran.out;
  EXPECT_EQ(names_of(files_below(path("packs"))), "part-00000.pack ");
}

// Killed while it writes, again and again. The next run removes what was left.
TEST_F(PackTest, AKilledRunIsResumed) {
  for (int i = 0; i < 300; ++i)
    fs::create_hard_link(data_ / "cat/arrow.jpg", data_ / ("cat/b" + std::to_string(i) + ".jpg"));
  const std::string options = " --pack-size 100KB --threads 2";
  ASSERT_EQ(pack("whole", options).status, 0);
  const FilesBelow whole = files_below(path("whole"));
  ASSERT_GT(whole.size(), 10u);
  const std::vector<std::string> command = {"pack",        "--data",   data_.string(), "--out",
                                            path("packs"), "--resume", "--pack-size",  "100KB",
                                            "--threads",   "2"};
  const auto expect_whole_packs = [&] {
    std::size_t packs = 0;
    for (const auto& [name, bytes] : files_below(path("packs"))) {
      if (!name.ends_with(".pack")) continue;
      ++packs;
      ASSERT_TRUE(whole.contains(name)) << name;
      EXPECT_TRUE(whole.at(name) == bytes) << name;
    }
    for (std::size_t i = 0; i < packs; ++i)
      EXPECT_TRUE(fs::exists(path("packs/" + std::next(whole.begin(), std::ptrdiff_t(i))->first)));
  };
  const auto has_unfinished = [&] {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path("packs"), ignored))
      if (entry.path().filename().string().starts_with(".sluice-part-")) return true;
    return false;
  };
  for (std::size_t next = 1; next < 6; ++next) {
    const fs::path awaited = path("packs/" + std::next(whole.begin(), std::ptrdiff_t(next))->first);
    Started run(command);
    // In odd rounds within a pack's writing, in even ones when it has its name.
    (void)run.wait_until([&] { return next % 2 == 1 ? has_unfinished() : fs::exists(awaited); });
    run.send(SIGKILL);
    (void)run.finish();
    expect_whole_packs();
  }
  EXPECT_EQ(pack("packs", "--resume" + options).status, 0);
  EXPECT_TRUE(files_below(path("packs")) == whole);
}

TEST_F(PackTest, AFileThatCannotBeReadEndsItUnlessSkipped) {
  fs::create_symlink("gone", data_ / "cat/a.jpg");
  const Ran failed = pack("packs");
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(says(failed.errors, "cat/a.jpg")) << failed.errors;
  EXPECT_TRUE(says(failed.errors, "; --on-error skip leaves it out")) << failed.errors;
  const Ran skipped = pack("packs", "--on-error skip --pack-size 50KB --verify");
  ASSERT_EQ(skipped.status, 0) << skipped.errors;
  EXPECT_TRUE(
      says(skipped.out, "left out 1 that cannot be read:\n  " + data_.string() + "/cat/a.jpg: "))
      << skipped.out;
  const FilesBelow all = files_below(path("packs"));
  fs::remove(fs::path(path("packs")) / all.rbegin()->first);
  EXPECT_EQ(pack("packs", "--on-error skip --pack-size 50KB --resume --verify").status, 0);
  EXPECT_TRUE(files_below(path("packs")) == all);
}

TEST_F(PackTest, VerifyFindsWhatDiffers) {
  ASSERT_EQ(pack("packs").status, 0);
  std::ofstream(data_ / "dog/text.jpg") << "another text";
  const Ran ran = pack("packs", "--resume --verify");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran.errors, "1 sample of " + std::to_string(files_) +
                                   " differ from their files; pack them again"))
      << ran.errors;
  EXPECT_TRUE(says(ran.out, "dog/text.jpg: ")) << ran.out;
  EXPECT_TRUE(says(ran.out, "the pack does not have the bytes of the file")) << ran.out;
}

TEST_F(PackTest, UnpackRefusesToMixFiles) {
  ASSERT_EQ(pack("packs").status, 0);
  fs::create_directories(path("out"));
  std::ofstream(path("out/notes.txt")) << "kept";
  const Ran refused = unpack("packs", "out");
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.errors, "--out " + path("out") + " holds files already, "))
      << refused.errors;
  EXPECT_EQ(files_below(path("out")).size(), 1u);
  EXPECT_EQ(unpack("packs", "out", "--overwrite").status, 0);
  EXPECT_EQ(text_of(path("out/notes.txt")), "kept");
  EXPECT_EQ(files_below(path("out")).size(), static_cast<std::size_t>(files_ + 1));
  EXPECT_EQ(unpack("packs", "out/notes.txt").status, 2);
}

// Names come from elsewhere. None may lead out of the folder.
TEST_F(PackTest, UnpackRefusesNamesThatLeadOut) {
  const struct {
    std::vector<std::string> names;
    const char* says;
  } cases[] = {{{"a", "../b"}, "sample 1: the name '../b' leads out of the folder; --numbered"},
               {{"a", "/tmp/b"}, "leads out of the folder"},
               {{"a/../../b"}, "leads out of the folder"},
               {{"a", "./x/..//a"}, "sample 1: the name './x/..//a' is also that of an earlier"},
               {{""}, "is not that of a file"},
               {{".."}, "leads out of the folder"},
               {{"a/"}, "is not that of a file"},
               {{std::string("a\0b", 3)}, "holds a zero byte"}};
  int number = 0;
  for (const auto& c : cases) {
    const std::string packs = "packs" + std::to_string(number++);
    PackWriter writer(path(packs), {"name"});
    for (const std::string& name : c.names)
      writer.add(read_file((data_ / "dog/text.jpg").string()), {name});
    writer.finish();
    const Ran ran = unpack(packs, "out");
    EXPECT_EQ(ran.status, 2) << c.says;
    EXPECT_TRUE(says(ran.errors, c.says)) << ran.errors;
    EXPECT_FALSE(fs::exists(path("out")));
  }
  EXPECT_EQ(unpack("packs0", "out", "--numbered").status, 0);
  EXPECT_EQ(names_of(files_below(path("out"))), "00000000 00000001 ");
}

TEST_F(PackTest, ADamagedSampleCostsItself) {
  ASSERT_EQ(pack("packs").status, 0);
  const std::string file = path("packs/part-00000.pack");
  std::string bytes = text_of(file);
  const std::size_t place = bytes.find("no image");
  ASSERT_NE(place, std::string::npos);
  bytes[place] = 'N';
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  const Ran ran = unpack("packs", "out");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran.errors, "1 sample of " + std::to_string(files_) + " cannot be unpacked"))
      << ran.errors;
  EXPECT_TRUE(says(ran.out, "part-00000.pack:dog/text.jpg: ")) << ran.out;
  EXPECT_EQ(files_below(path("out")).size(), static_cast<std::size_t>(files_ - 1));
}

TEST_F(PackTest, CatTellsWhatIsPacked) {
  ASSERT_EQ(pack("packs").status, 0);
  const Ran ran = run_program("cat --pack " + path("packs"));
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const std::vector<std::string> lines = lines_of(ran.out);
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(files_));
  const std::string pack = path("packs/part-00000.pack");
  EXPECT_TRUE(says(lines.front(), "0\t" + pack + ":cat/arrow.jpg\t")) << lines.front();
  EXPECT_TRUE(lines.front().ends_with("\tpacked\t0")) << lines.front();
  EXPECT_TRUE(says(ran.out, pack + ":dog/text.jpg\t8\tstored\t1\n")) << ran.out;
  EXPECT_TRUE(run_program("cat --head 1 --columns label,name --pack " + pack)
                  .out.ends_with("\tpacked\t0\tcat/arrow.jpg\n"));
  const Ran wrong = run_program("cat --columns none --pack " + pack);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(says(wrong.errors, "no column 'none'; their columns are name, label"))
      << wrong.errors;
}

TEST_F(PackTest, AugmentMakesOfPacksWhatItMakesOfTheFolder) {
  ASSERT_EQ(pack("packs", "--pack-size 100KB").status, 0);
  const auto augment = [&](const std::string& out, const std::string& input) {
    const Ran ran =
        run_program("augment --recipe train --out " + path(out) + " --epochs 2 " + input);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    return files_below(path(out));
  };
  const FilesBelow folder = augment("folder", "--data " + data_.string());
  const FilesBelow packs = augment("from_packs", "--pack " + path("packs"));
  EXPECT_EQ(names_of(packs), names_of(folder));
  EXPECT_EQ(images_of(packs), images_of(folder));
  const FilesBelow workers = augment("workers", "--workers 2 --pack " + path("packs"));
  EXPECT_EQ(images_of(workers), images_of(folder));
}

TEST_F(PackTest, AListKeepsItsColumns) {
  std::ofstream(path("list.csv"))
      << "\xef\xbb\xbf"
      << "file,label,\"a, \"\"note\"\"\"\r\nclasses/cat/arrow.jpg,7,1.50\r\n"
      << (data_ / "dog/text.jpg").string() << ",-2,\"x,y\"\r\n"
      << "classes/../classes/dog/text.jpg,8,\r\n";
  const std::string command = "pack --list " + path("list.csv") + " --path file --out ";
  const Ran ran = run_program(command + path("packs") + " --verify");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(says(ran.out, "columns name, label, a, \"note\"\n")) << ran.out;
  const std::string cat = run_program("cat --pack " + path("packs")).out;
  EXPECT_TRUE(says(cat, ":classes/cat/arrow.jpg\t")) << cat;
  EXPECT_TRUE(says(cat, "\tpacked\t7\t1.50\n")) << cat;
  EXPECT_TRUE(says(cat, ":classes/dog/text.jpg\t8\tstored\t-2\tx,y\n")) << cat;
  EXPECT_EQ(run_program(command + path("one") + " --columns label").status, 0);
  EXPECT_TRUE(says(run_program("cat --pack " + path("one")).out, "\tpacked\t7\n"));
  std::ofstream(path("names.csv")) << "path,name\na.jpg,b\n";
  const Ran twice = run_program("pack --list " + path("names.csv") + " --out " + path("x"));
  EXPECT_EQ(twice.status, 2);
  EXPECT_TRUE(says(twice.errors, "would be called 'name', which is the name of each file; choose"))
      << twice.errors;
}

TEST_F(PackTest, BoxesComeFromPacks) {
  fs::remove_all(test_folder() / "data");
  const AnnotatedLists lists = write_annotated_lists();
  ASSERT_EQ(run_program("pack --list " + lists.boxes.string() + " --out " + path("packs")).status,
            0);
  const auto augment = [&](const std::string& out, const std::string& input) {
    const Ran ran = run_program("augment --recipe detection --box-format xywh --count 20 --out " +
                                path(out) + " " + input);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    return images_of(files_below(path(out)));
  };
  EXPECT_EQ(augment("from_packs", "--pack " + path("packs")),
            augment("list", "--list " + lists.boxes.string()));
  const Ran none = run_program("augment --recipe detection --boxes none --out " + path("none") +
                               " --pack " + path("packs"));
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(says(none.errors, "--pack: the packs have no column 'none'")) << none.errors;
}

TEST_F(PackTest, ArchivesKeepTheirText) {
  const std::string arrow = text_of(data_ / "cat/arrow.jpg");
  std::ofstream(path("a.tar"), std::ios::binary) << TarWriter()
                                                        .file("x/1.jpg", arrow)
                                                        .file("x/1.cls", "3")
                                                        .file("x/1.txt", "an arrow")
                                                        .file("x/1.bin", std::string("\0\1", 2))
                                                        .file("x/2.jpeg", "no image")
                                                        .file("x/2.cls", "4")
                                                        .file("x/2.txt", "")
                                                        .file("x/2.bin", "")
                                                        .whole();
  const Ran ran =
      run_program("pack --tar " + path("a.tar") + " --out " + path("packs") + " --verify");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(says(ran.out, "2 samples in " + path("a.tar") + "; columns name, label, txt\n"))
      << ran.out;
  EXPECT_TRUE(says(ran.out, "left out the columns that are not text: bin\n")) << ran.out;
  const std::string cat = run_program("cat --pack " + path("packs")).out;
  EXPECT_TRUE(says(cat, ":x/1.jpg\t")) << cat;
  EXPECT_TRUE(says(cat, "\tpacked\t3\tan arrow\n")) << cat;
  EXPECT_TRUE(says(cat, ":x/2.jpeg\t8\tstored\t4\t\n")) << cat;
  ASSERT_EQ(unpack("packs", "out").status, 0);
  const FilesBelow expected = {{"x/1.jpg", arrow}, {"x/2.jpeg", "no image"}};
  EXPECT_TRUE(files_below(path("out")) == expected);
}

TEST_F(PackTest, BenchComparesWithTheUnpackedFiles) {
  ASSERT_EQ(pack("packs").status, 0);
  for (const std::string workload : {"region", "conditional"}) {
    const Ran ran = run_program("bench " + workload + " --pack " + path("packs") +
                                " --threads 2 --seconds 0.01 --rounds 1 --batch 8 --json -");
    ASSERT_EQ(ran.status, 0) << ran.errors;
    EXPECT_TRUE(says(ran.errors, " MB packed), ")) << ran.errors;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json.at("index"), "off");
    EXPECT_GT(json.at("ratio"), 0);
    EXPECT_GT(json.at("packed_megabytes"), json.at("jpeg_megabytes"));
  }
}

TEST_F(PackTest, BenchComparesUrlsWithLocalPacks) {
  if (!can_read_urls()) GTEST_SKIP() << "this build has no libcurl";
  fs::remove(data_ / "dog/text.jpg");
  ASSERT_EQ(pack("packs", "--pack-size 100KB").status, 0);
  const std::string options = " --threads 2 --seconds 0.01 --rounds 1 --batch 8 --json - --pack ";
  const Ran ran = run_program("bench urls" + options + path("packs"));
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_GT(json.at("ratio"), 0);
  EXPECT_EQ(json.at("connections"), 64);
  const Ran none = run_program("bench urls --data " + data_.string());
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(says(none.errors, "bench urls needs --pack PACK...")) << none.errors;
}

// What the server of `sluice bench urls` sends as the answer to `request`, until it closes the
// connection or has sent `most` bytes.
std::string answer_to(const DelayingServer& server, const std::string& request, std::size_t most) {
  const std::string url = server.url(0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto port = std::stoi(url.substr(url.find(':', url.find("//")) + 1));
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const detail::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    return "not connected";
  (void)!::send(socket.number(), request.data(), request.size(), MSG_NOSIGNAL);
  std::string answer;
  std::array<char, 4096> bytes;
  while (answer.size() < most) {
    const ssize_t got = ::recv(socket.number(), bytes.data(), bytes.size(), 0);
    if (got <= 0) break;
    answer.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

TEST_F(PackTest, TheServerOfBenchUrlsSendsPartsAndClosesOtherConnections) {
  const fs::path file = data_ / "numbers";
  std::ofstream(file) << "0123456789";
  const DelayingServer server({file.string()}, std::chrono::milliseconds(1));
  const std::string part = "GET /0.pack HTTP/1.1\r\nRange: bytes=2-5\r\n\r\n";
  const std::string whole =
      "HTTP/1.1 206 Partial Content\r\nETag: \"1\"\r\nContent-Length: 4\r\nContent-Range: bytes "
      "2-5/10\r\n\r\n2345";
  EXPECT_EQ(answer_to(server, part, whole.size()), whole);
  EXPECT_EQ(answer_to(server, "GET /1.pack HTTP/1.1\r\n\r\n", 1), "");
  EXPECT_EQ(answer_to(server, "GET /0.pack HTTP/1.1\r\nRange: bytes=12-15\r\n\r\n", 1), "");
  EXPECT_EQ(answer_to(server, "GET /0.pack HTTP/1.1\r\nX: " + std::string(20'000, 'x'), 1), "");
  // It still serves others.
  EXPECT_EQ(answer_to(server, part, whole.size()), whole);
}

TEST_F(PackTest, GraphCountsWhatRanOnPacks) {
  ASSERT_EQ(pack("packs").status, 0);
  const Ran ran = run_program("graph --text --pack " + path("packs"));
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(says(ran.out, "[source; io]   " + std::to_string(files_) + " runs, ")) << ran.out;
}

TEST(PackSource, NamesStayBelowTheFolder) {
  EXPECT_EQ(name_in_pack("a/b.jpg", "lists"), "a/b.jpg");
  EXPECT_EQ(name_in_pack("./a//x/../b.jpg", ""), "a/b.jpg");
  EXPECT_EQ(name_in_pack("../photos/b.jpg", "lists"), "photos/b.jpg");
  EXPECT_EQ(name_in_pack("/data/a/b.jpg", "/data"), "a/b.jpg");
  EXPECT_EQ(name_in_pack("/data/a/b.jpg", "/other"), "data/a/b.jpg");
  EXPECT_EQ(name_in_pack(fs::absolute("a/b.jpg").string(), ""), "a/b.jpg");
}

}  // namespace pack_test
}  // namespace sluice::app
