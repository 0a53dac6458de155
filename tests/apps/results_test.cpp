// The files that `sluice augment` leaves in its folder, however it ends.
#include "apps/results.h"

#include "demo_folder.h"
#include "program.h"
#include "tests/tried.h"
#include <sluice/io/readers/files.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>

namespace sluice::app {
namespace results_test {

namespace fs = std::filesystem;

class Results : public ::testing::Test {
 protected:
  void SetUp() override {
    data_ = write_demo_images();
    fs::create_directory(data_ / "vehicles");
    for (const char* vehicle : {"boat.jpg", "rocket.jpg"})
      fs::rename(data_ / vehicle, data_ / "vehicles" / vehicle);
  }
  fs::path folder(const std::string& out) const { return test_folder() / out; }
  std::vector<std::string> arguments(const std::string& out,
                                     const std::vector<std::string>& more) const {
    std::vector<std::string> all = {
        "augment", "--data", data_.string(), "--out", folder(out).string(), "--seed", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Ran augment(const std::string& out, const std::vector<std::string>& more) const {
    return Started(arguments(out, more)).finish();
  }
  // Counts the images in a folder that the program may be writing to.
  std::size_t count(const std::string& out) const {
    std::size_t files = 0;
    std::error_code ignored;
    for (auto it = fs::recursive_directory_iterator(folder(out), ignored);
         it != fs::recursive_directory_iterator(); it.increment(ignored)) {
      files += it->path().extension() == ".jpg" ? 1 : 0;
    }
    return files;
  }
  std::map<std::string, std::string> all(const std::string& out) const {
    return files_below(folder(out));
  }
  std::map<std::string, std::string> visible(const std::string& out) const {
    auto files = all(out);
    std::erase_if(files, [](const auto& file) {
      return fs::path(file.first).filename().string().front() == '.';
    });
    return files;
  }

  fs::path data_;
};

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Results, ASignalEndsTheRunWithASummaryAndResumeGoesOn) {
  const struct {
    int signal;
    int status;
    std::string name;
    std::string policy;
  } cases[] = {{SIGINT, 130, "Ctrl-C", "skip"}, {SIGTERM, 143, "SIGTERM", "replace"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<std::string> options = {"--count", "200",        "--recipe",
                                              "train",   "--on-error", c.policy};
    ASSERT_EQ(augment("whole" + c.policy, options).status, 0);
    const auto whole = all("whole" + c.policy);

    Started run(
        arguments(c.policy, options + std::vector<std::string>{"--threads", "1", "--batch", "4"}));
    ASSERT_TRUE(run.wait_until([&] { return count(c.policy) > 5; }));
    run.send(c.signal);
    const Ran stopped = run.finish();
    EXPECT_EQ(stopped.status, c.status) << stopped.out << stopped.errors;
    const auto before = all(c.policy);
    EXPECT_LT(before.size(), whole.size());
    EXPECT_TRUE(says(stopped.out, "delivered " + std::to_string(before.size()) + " images"))
        << stopped.out;
    EXPECT_TRUE(says(stopped.out, "stopped early by " + c.name)) << stopped.out;
    for (const auto& [name, bytes] : before) EXPECT_TRUE(whole.at(name) == bytes) << name;

    const std::vector<std::string> resume = {"--resume"};
    const Ran resumed = augment(c.policy, options + resume);
    EXPECT_EQ(resumed.status, 0) << resumed.errors;
    EXPECT_TRUE(says(resumed.out, " are there already\n")) << resumed.out;
    EXPECT_TRUE(all(c.policy) == whole);
    // The run is complete, so nothing is done.
    const auto written = fs::last_write_time(folder(c.policy) / whole.begin()->first);
    const Ran again = augment(c.policy, options + resume);
    EXPECT_EQ(again.status, 0) << again.errors;
    EXPECT_EQ(fs::last_write_time(folder(c.policy) / whole.begin()->first), written);
    EXPECT_TRUE(all(c.policy) == whole);
  }
}

TEST_F(Results, AreWholeWheneverTheRunIsKilled) {
  const std::vector<std::string> options = {"--count", "60", "--recipe", "eval", "--batch", "4"};
  ASSERT_EQ(augment("whole", options).status, 0);
  const auto whole = all("whole");
  for (std::size_t round = 0; round < 16; ++round) {
    Started run(arguments("out", options + std::vector<std::string>{"--resume"}));
    const std::size_t before = count("out");
    (void)run.wait_until([&] { return count("out") > before + round % 5; });
    run.send(SIGKILL);
    testing::tried("killed");
    (void)run.finish();
    for (const auto& [name, bytes] : visible("out"))
      ASSERT_TRUE(whole.at(name) == bytes) << name << " in round " << round;
  }
  EXPECT_EQ(augment("out", options + std::vector<std::string>{"--resume"}).status, 0);
  EXPECT_TRUE(all("out") == whole);  // nothing else is left
}

// A reader sees at each moment what a kill at that moment would leave. So this test reads each file
// repeatedly until it has been replaced: it is always the old one or the new one.
TEST_F(Results, AreWholeAtEveryMoment) {
  const std::vector<std::string> options = {"--batch", "1", "--threads", "1"};
  ASSERT_EQ(augment("out", options).status, 0);
  const auto whole = all("out");
  std::map<std::string, std::string> by_number;  // as they are written
  for (const auto& [name, bytes] : whole) by_number[name.substr(name.rfind('_'))] = name;
  for (int round = 0; round < 5; ++round) {
    Started run(arguments("out", options + std::vector<std::string>{"--overwrite"}));
    for (const auto& file : by_number) {
      const fs::path path = folder("out") / file.second;
      const std::string& expected = whole.at(file.second);
      const auto before = fs::last_write_time(path);
      (void)run.wait_until([&] {
        EXPECT_TRUE(text_of(path) == expected) << path;
        return HasFailure() || fs::last_write_time(path) != before;
      });
      ASSERT_FALSE(HasFailure());
    }
    EXPECT_EQ(run.finish().status, 0);
  }
}

TEST_F(Results, OfRunsAtTheSameTimeAreWhole) {
  const std::vector<std::string> options = {"--count", "60", "--batch", "4", "--overwrite"};
  ASSERT_EQ(augment("whole", options).status, 0);
  Started a(arguments("out", options));
  Started b(arguments("out", options));
  Started c(arguments("out", options));
  for (Started* run : {&a, &b, &c}) {
    const Ran ran = run->finish();
    EXPECT_EQ(ran.status, 0) << ran.errors;
  }
  EXPECT_TRUE(all("out") == all("whole"));
}

// Without --overwrite only one of them writes.
TEST_F(Results, OfDifferentRunsAreNotMixed) {
  ASSERT_EQ(augment("one", {"--recipe", "train"}).status, 0);
  ASSERT_EQ(augment("two", {"--recipe", "eval"}).status, 0);
  Started a(arguments("out", {"--recipe", "train"}));
  Started b(arguments("out", {"--recipe", "eval"}));
  const Ran first = a.finish(), second = b.finish();
  EXPECT_EQ(first.status + second.status, 2) << first.errors << second.errors;
  EXPECT_TRUE(all("out") == all(first.status == 0 ? "one" : "two"));
}

TEST_F(Results, OfAnotherRunAreNotOverwrittenWhileItWrites) {
  Started first(arguments("out", {"--count", "4000", "--batch", "4", "--overwrite"}));
  ASSERT_TRUE(first.wait_until([&] { return count("out") > 0; }));
  const Ran second = augment("out", {"--recipe", "eval", "--overwrite"});
  EXPECT_EQ(second.status, 2);
  EXPECT_EQ(second.errors, "sluice: a run of other options is writing to --out " +
                               folder("out").string() + ": wait for it, or give another folder\n");
  first.send(SIGTERM);
  EXPECT_EQ(first.finish().status, 143);
  EXPECT_EQ(augment("out", {"--recipe", "eval", "--overwrite"}).status, 0);
}

TEST_F(Results, ResumePassesOverFilesThatAreEmpty) {
  std::ofstream(data_ / "empty.jpg").close();
  const Ran whole = augment("out", {});
  EXPECT_EQ(whole.status, 0) << whole.errors;
  const auto results = all("out");
  const Ran again = augment("out", {"--resume"});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(all("out") == results);
}

// As on a full disk: some files still fit.
TEST_F(Results, AFullDiskIsAClearErrorAndCutsNoFile) {
  ASSERT_EQ(augment("whole", {}).status, 0);
  const auto whole = all("whole");
  std::vector<std::size_t> sizes;
  for (const auto& [name, bytes] : whole) sizes.push_back(bytes.size());
  const std::size_t most = *std::max_element(sizes.begin(), sizes.end());
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto run_tight = [&](const std::vector<std::string>& more) {
    const rlimit tight{most - 1, limit.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    Ran ran = augment("out", more);
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return ran;
  };
  const Ran ran = run_tight({});
  testing::tried("full-disk");
  EXPECT_EQ(ran.status, 1);
  EXPECT_TRUE(says(ran.errors, "stopped after ")) << ran.errors;
  EXPECT_TRUE(says(ran.errors, " cannot be written: File too large; with --resume")) << ran.errors;
  EXPECT_EQ(error_lines(ran), 1u) << ran.errors;
  EXPECT_LT(all("out").size(), whole.size());
  for (const auto& [name, bytes] : all("out")) EXPECT_TRUE(whole.at(name) == bytes) << name;
  EXPECT_EQ(augment("out", {"--resume"}).status, 0);
  EXPECT_TRUE(all("out") == whole);
  // Files that exist already survive.
  EXPECT_EQ(run_tight({"--overwrite"}).status, 1);
  EXPECT_TRUE(all("out") == whole);
}

TEST_F(Results, ResumeRefusesWhatIsNotOfTheSameRun) {
  ASSERT_EQ(augment("out", {"--count", "9"}).status, 0);
  const auto before = all("out");
  fs::copy(data_, test_folder() / "more", fs::copy_options::recursive);
  fs::copy_file(data_ / "arrow.jpg", test_folder() / "more" / "aardvark.jpg");
  const std::vector<std::string> others[] = {{"--seed", "4"},  {"--recipe", "eval"}, {"--flat"},
                                             {"--size", "64"}, {"--compose"},        {"--data"}};
  for (const std::vector<std::string>& other : others) {
    const bool has_more = other.front() == "--data";
    const fs::path data = std::exchange(data_, has_more ? test_folder() / "more" : data_);
    const Ran ran = augment("out", (has_more ? std::vector<std::string>() : other) +
                                       std::vector<std::string>{"--resume"});
    data_ = data;
    EXPECT_EQ(ran.status, 2) << other.front();
    EXPECT_TRUE(says(ran.errors, " is not a result of this run; pass the same --data"))
        << ran.errors;
    EXPECT_TRUE(says(ran.errors, other.front())) << ran.errors;
    EXPECT_TRUE(all("out") == before);
  }
  // With --overwrite they are replaced. Results of another run do not count for this one.
  const std::vector<std::string> seed = {"--seed", "4", "--count", "9"};
  ASSERT_EQ(augment("four", seed).status, 0);
  ASSERT_EQ(augment("out", seed + std::vector<std::string>{"--resume", "--overwrite"}).status, 0);
  EXPECT_TRUE(all("out") == all("four"));
}

// Only with `replace` are there results in place of damaged files.
TEST_F(Results, ResumeTellsReplaceFromOtherPolicies) {
  const struct {
    std::string then, now;
    int status;
  } cases[] = {{"skip", "replace", 2}, {"replace", "skip", 2}, {"fail", "replace", 2},
               {"replace", "fail", 2}, {"skip", "fail", 1},    {"fail", "skip", 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.then + " " + c.now);
    fs::remove_all(folder("out"));
    const Ran first = augment("out", {"--batch", "1", "--on-error", c.then});
    ASSERT_EQ(first.status, c.then == "fail" ? 1 : 0) << first.errors;
    ASSERT_GT(count("out"), 0u);
    const Ran second = augment("out", {"--batch", "1", "--on-error", c.now, "--resume"});
    EXPECT_EQ(second.status, c.status) << second.errors;
    EXPECT_EQ(says(second.errors, " is not a result of this run; "), c.status == 2)
        << second.errors;
  }
}

// The file is named, and the remedy helps.
TEST_F(Results, AResultWithoutItsMarkIsMadeAgainOnceItIsDeleted) {
  ASSERT_EQ(augment("out", {}).status, 0);
  const auto whole = all("out");
  const fs::path damaged = folder("out") / whole.begin()->first;
  fs::resize_file(damaged, 10);
  const Ran refused = augment("out", {"--resume"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.errors, damaged.string() + " is not a result of this run"))
      << refused.errors;
  EXPECT_TRUE(says(refused.errors, "If the file is damaged, delete it and omit --checkpoint."))
      << refused.errors;
  fs::remove(damaged);
  EXPECT_EQ(augment("out", {"--resume"}).status, 0);
  EXPECT_TRUE(all("out") == whole);
}

TEST_F(Results, ResumeMakesWhatIsMissingOrCut) {
  const std::vector<std::string> sheet = {"--sheet", (test_folder() / "sheet.jpg").string()};
  for (const std::string policy : {"skip", "replace"}) {
    const std::vector<std::string> options =
        sheet + std::vector<std::string>{"--count", "40", "--on-error", policy};
    ASSERT_EQ(augment(policy, options).status, 0);
    const auto whole = all(policy);
    const std::string image = text_of(test_folder() / "sheet.jpg");
    std::size_t i = 0;
    for (const auto& [name, bytes] : whole) {
      const fs::path path = folder(policy) / name;
      if (i % 4 == 1) fs::remove(path);
      if (i % 4 == 2) fs::resize_file(path, bytes.size() / 2);
      if (i % 8 == 3) fs::resize_file(path, 0);
      ++i;
    }
    fs::remove(test_folder() / "sheet.jpg");
    const Ran ran = augment(policy, options + std::vector<std::string>{"--resume"});
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_TRUE(all(policy) == whole) << policy;
    EXPECT_TRUE(text_of(test_folder() / "sheet.jpg") == image) << policy;
  }
  // More samples than before are a longer run of the same.
  ASSERT_EQ(augment("longer", {"--count", "60", "--on-error", "replace"}).status, 0);
  ASSERT_EQ(augment("replace", {"--count", "60", "--on-error", "replace", "--resume"}).status, 0);
  EXPECT_TRUE(all("replace") == all("longer"));
  // In an empty folder, it is an ordinary run.
  ASSERT_EQ(augment("new", {"--count", "60", "--on-error", "replace", "--resume"}).status, 0);
  EXPECT_TRUE(all("new") == all("longer"));
}

// Numbers in a file of --out never make the program take much memory or crash.
TEST_F(Results, ResumeDoesNotTrustTheNumbersInFiles) {
  ASSERT_EQ(augment("out", {}).status, 0);
  const auto before = all("out");
  const auto is_first = [](const auto& file) { return says(file.first, "_000000.jpg"); };
  const auto first = std::find_if(before.begin(), before.end(), is_first);
  ASSERT_NE(first, before.end());
  const std::size_t place = first->second.find(" 000000000000");
  ASSERT_NE(place, std::string::npos);
  std::size_t samples = 0;
  for (const auto& [name, bytes] : files_below(data_)) samples += name.ends_with(".jpg") ? 1 : 0;
  const std::string large = std::to_string(999'999'999'000 / samples * samples);
  for (const std::string& number : {large, std::string("-00000000001")}) {
    std::string bytes = first->second;
    bytes.replace(place + 1, 12, number);
    const std::string stem = first->first.substr(0, first->first.size() - 10);
    const fs::path forged = folder("out") / (stem + number + ".jpg");
    std::ofstream(forged, std::ios::binary) << bytes;
    const Ran ran = augment("out", {"--resume"});
    EXPECT_EQ(ran.status, number == large ? 0 : 2) << ran.errors;
    fs::remove(forged);
    EXPECT_TRUE(all("out") == before) << number;
  }
}

// If a class without results had no folder, the numbers of the classes after it would shift.
TEST_F(Results, EachClassHasAFolder) {
  for (const char* name : {"animals", "birds", "x_000001.jpg"}) fs::create_directory(data_ / name);
  std::ofstream(data_ / "birds" / "1.jpg") << "no image";
  std::ofstream(data_ / "animals" / "1.png") << "no image";
  const Ran ran = augment("out", {});
  EXPECT_EQ(ran.status, 0) << ran.errors;
  for (const char* name : {"animals", "birds", "vehicles", "x_000001.jpg_"})
    EXPECT_TRUE(fs::is_directory(folder("out") / name)) << name;
  for (const char* said :
       {"left out 1 with the ending .png (first: animals/1.png)\n",
        "left out 2 of the classes, without files; their numbers stay (first: animals)\n"})
    EXPECT_TRUE(says(ran.out, said)) << ran.out;
  ASSERT_EQ(augment("flat", {"--flat"}).status, 0);
  EXPECT_FALSE(fs::exists(folder("flat") / "animals"));
  // A run with --flat does not continue one without it.
  const Ran mixed = augment("out", {"--flat", "--resume"});
  EXPECT_EQ(mixed.status, 2);
  EXPECT_TRUE(says(mixed.errors, " is not a result of this run")) << mixed.errors;
}

// A dataset of two files that are never read.
struct TwoSamples final : Dataset {
  std::int64_t size() const override { return 2; }
  std::string words() const override { return "two"; }
  std::string name(std::int64_t i) const override { return std::to_string(i); }
  std::string title(std::int64_t i) const override { return name(i); }
  std::string place(std::int64_t i) const override { return name(i); }
  DatasetSample read(std::int64_t) const override { return {}; }
  SourceReads reads() const override { return {}; }
  std::string fingerprint() const override { return "two"; }
  const std::vector<LeftOut>& left_out() const override { return none; }
  std::vector<LeftOut> none;
};

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_F(Results, AResultThatHasChangedIsNotCopied) {
  const TwoSamples samples;
  const ResultsOptions options{.out = folder("out").string(), .run = "a", .resume = true};
  const Bytes jpeg = read_file((data_ / "arrow.jpg").string());
  app::Results first(samples, options);
  ASSERT_EQ(first.open(), 0);
  first.write(0, 0, jpeg);
  first.copy(0, 0, 2);
  const fs::path result = first.path(0, 0);
  const std::string whole = text_of(result);
  std::string other_run = whole, other_number = whole, long_segment = whole;
  other_run[other_run.find("sluice augment ") + 15] ^= 1;
  other_number[other_number.find(" 000000000000") + 12] = '1';
  long_segment[4] = '\xff';
  for (const std::string& bytes :
       {std::string(), std::string("\xff"), whole.substr(0, 3), whole.substr(0, 30),
        whole.substr(0, 60), other_run, other_number, long_segment, std::string(100, '\xff')}) {
    write_bytes(result, bytes);
    EXPECT_THROW(first.copy(0, 0, 4), IoError) << bytes.size();
    EXPECT_FALSE(fs::exists(first.path(0, 4)));
  }
  // The files beside the result.
  write_bytes(result, whole);
  fs::path boxes = result;
  boxes.replace_extension(".json");
  for (const char* json :
       {"", "[]", "3", R"({"boxes": 1, "labels": 2})",
        R"({"boxes": {"a": [1, 2, 3, 4]}, "labels": [1]})",
        R"({"boxes": [[1, 2, 3]], "labels": [1]})", R"({"boxes": [["a", 2, 3, 4]], "labels": [1]})",
        R"({"boxes": [[1, 2, 3, 4]], "labels": []})",
        R"({"boxes": [[1, 2, 3, 4]], "labels": ["x"]})",
        R"({"boxes": [[1e300, 2, 3, 4]], "labels": [1]})", R"({"boxes": [[1, 2, 3, 4]]})"}) {
    write_bytes(boxes, json);
    EXPECT_THROW(first.copy(0, 0, 4), IoError) << json;
  }
  write_bytes(boxes, R"({"boxes": [[1, 2, 3, 4]], "labels": [7]})");
  first.copy(0, 0, 4);
  EXPECT_TRUE(fs::exists(first.path(0, 4)));
}

TEST_F(Results, PartsOfADeadRunAreRemovedEverywhere) {
  fs::create_directories(folder("out") / "vehicles");
  std::ofstream(folder("out") / ".sluice-part-4000000-0") << "cut";
  std::ofstream(folder("out") / "vehicles" / ".sluice-part-4000000-1") << "cut";
  EXPECT_EQ(augment("out", {"--resume"}).status, 0);
  EXPECT_TRUE(all("out") == visible("out"));
}

// The first batch takes many seconds here.
TEST_F(Results, ProgressIsToldFromTheFirstSecond) {
  for (int i = 0; i < 4096; ++i)
    fs::create_hard_link(data_ / "snail.jpg", data_ / ("s" + std::to_string(i) + ".jpg"));
  Started run(arguments("out", {"--count", "4096", "--batch", "4096", "--threads", "1"}));
  EXPECT_TRUE(run.wait_until([&] { return says(run.errors_so_far(), " of 4096 images, "); }));
  EXPECT_EQ(count("out"), 0u);
  run.send(SIGINT);
  EXPECT_EQ(run.finish().status, 130);
}

TEST_F(Results, ALinkIsNeitherFollowedNorLost) {
  std::ofstream(test_folder() / "precious") << "precious";
  fs::create_symlink("precious", test_folder() / "link.jpg");
  const std::string link = (test_folder() / "link.jpg").string();
  const Ran ran = augment("out", {"--sheet", link});
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(says(ran.errors, "--sheet " + link + " is a link to precious: give the name of the"))
      << ran.errors;
  // Under the name of a result it is replaced.
  ASSERT_EQ(augment("out", {}).status, 0);
  const auto whole = all("out");
  const fs::path result = folder("out") / whole.begin()->first;
  fs::remove(result);
  fs::create_symlink(test_folder() / "precious", result);
  ASSERT_EQ(augment("out", {"--overwrite"}).status, 0);
  EXPECT_FALSE(fs::is_symlink(result));
  EXPECT_TRUE(all("out") == whole);
  EXPECT_EQ(text_of(test_folder() / "precious"), "precious");
  // A device file is a valid target.
  EXPECT_EQ(augment("device", {"--sheet", "/dev/null"}).status, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

}  // namespace results_test
}  // namespace sluice::app
