// `sluice augment --checkpoint`: whatever ends a run, the samples that its checkpoint counts as
// done exist. A run that resumes from it makes the rest, once.
#include "apps/output_paths.h"
#include "demo_folder.h"
#include "program.h"
#include "tests/one_in.h"
#include "tests/tried.h"
#include <sluice/graph/checkpoint.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace sluice::app {
namespace checkpoint_run_test {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CheckpointRun : public ::testing::Test {
 protected:
  void SetUp() override { data_ = write_demo_images(); }
  fs::path path(const std::string& name) const { return test_folder() / name; }
  Arguments arguments(const std::string& out, const Arguments& more) const {
    return Arguments{"augment", "--data", data_.string(), "--out", path(out).string()} + more;
  }
  Ran augment(const std::string& out, const Arguments& more) const {
    return Started(arguments(out, more)).finish();
  }
  Arguments checkpoint(const std::string& every = "0") const {
    return {"--checkpoint", path("run.json").string(), "--checkpoint-every", every};
  }
  std::map<std::string, std::string> visible(const std::string& out) const {
    std::map<std::string, std::string> files;
    if (fs::exists(path(out))) files = files_below(path(out));
    std::erase_if(files, [](const auto& file) { return file.first.front() == '.'; });
    return files;
  }
  std::size_t count(const std::string& out) const {
    std::error_code ignored;
    std::size_t files = 0;
    for (auto it = fs::directory_iterator(path(out), ignored); it != fs::directory_iterator();
         it.increment(ignored))
      files += it->path().extension() == ".jpg" ? 1 : 0;
    return files;
  }
  static std::int64_t number_of(const std::string& name) {
    return std::stoll(name.substr(name.rfind('_') + 1));
  }

  fs::path data_;
};

const Arguments kResume = {"--resume"};

// Killed repeatedly, until it is done.
TEST_F(CheckpointRun, LosesNothingAndDoublesNothingWhenKilled) {
  const Arguments kinds[] = {{}, {"--shuffle"}, {"--on-error", "replace"}, {"--workers", "2"}};
  for (const Arguments& kind : kinds) {
    SCOPED_TRACE(kind.empty() ? "plain" : kind.front());
    for (const char* left : {"whole", "out", "run.json"}) fs::remove_all(path(left));
    const Arguments options = Arguments{"--epochs", "4", "--recipe", "eval", "--batch", "4"} + kind;
    ASSERT_EQ(augment("whole", options).status, 0);
    const auto whole = visible("whole");
    const auto files = static_cast<std::int64_t>(files_below(data_).size());
    int killed = 0;
    for (std::size_t round = 0; round < 12; round += std::size_t(testing::one_in(1, 3))) {
      Started run(arguments("out", options + checkpoint() + kResume));
      const std::size_t before = count("out");
      (void)run.wait_until([&] { return count("out") > before + round % 6; });
      run.send(SIGKILL);
      testing::tried("killed");
      killed += run.finish().status == -SIGKILL ? 1 : 0;
      const auto there = visible("out");
      for (const auto& [name, bytes] : there)
        ASSERT_TRUE(whole.at(name) == bytes) << name << " in round " << round;
      if (!fs::exists(path("run.json"))) continue;
      const Checkpoint done = Checkpoint::load(path("run.json").string());
      std::int64_t of_epoch = 0;
      for (const auto& [name, bytes] : whole) {
        const std::int64_t number = number_of(name);
        if (number < done.epoch * files) {
          ASSERT_TRUE(there.contains(name)) << name << " in round " << round;
        }
        if (kind == Arguments{"--shuffle"}) continue;
        if (number < done.epoch * files + done.position) {
          ASSERT_TRUE(there.contains(name)) << name << " in round " << round;
        }
      }
      for (const auto& [name, bytes] : there)
        of_epoch += number_of(name) / files == done.epoch ? 1 : 0;
      EXPECT_GE(of_epoch + 1, done.position);  // one is damaged
    }
    EXPECT_GT(killed, 0);
    const Ran last = augment("out", options + checkpoint() + kResume);
    EXPECT_EQ(last.status, 0) << last.errors;
    EXPECT_TRUE(files_below(path("out")) == files_below(path("whole")));  // nothing else is left
  }
}

// Results may be moved away while no run is active: finished work is not repeated.
TEST_F(CheckpointRun, GoesOnThoughResultsWereMovedAway) {
  const Arguments options = {"--count", "200", "--recipe", "eval", "--batch", "64"};
  ASSERT_EQ(augment("whole", options).status, 0);
  const auto whole = visible("whole");
  Started run(arguments("out", options + checkpoint() + Arguments{"--threads", "1"}));
  ASSERT_TRUE(run.wait_until([&] { return count("out") > 70; }));  // within the second batch
  run.send(SIGTERM);
  const Ran stopped = run.finish();
  ASSERT_EQ(stopped.status, 143) << stopped.errors;
  fs::rename(path("out"), path("moved"));
  const Ran resumed = augment("out", options + checkpoint() + kResume);
  ASSERT_EQ(resumed.status, 0) << resumed.errors;
  EXPECT_TRUE(says(resumed.out, "continues after ")) << resumed.out;
  const auto moved = visible("moved"), made = visible("out");
  auto together = moved;
  std::size_t twice = 0;
  for (const auto& [name, bytes] : made) twice += together.insert({name, bytes}).second ? 0 : 1;
  EXPECT_TRUE(together == whole);
  EXPECT_LT(twice, 64u);  // of the batch that was cut
  // The run is complete now, so there is nothing left to do.
  fs::remove_all(path("out"));
  const Ran again = augment("out", options + checkpoint() + kResume);
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_TRUE(says(again.out, "continues after 200 samples, as " + path("run.json").string() +
                                  " says; 0 of them have their own result in " +
                                  path("out").string() + "\n"))
      << again.out;
  EXPECT_EQ(count("out"), 0u);
}

// A result before the position may be elsewhere, but not damaged: the run would not make it again.
TEST_F(CheckpointRun, NamesADamagedResultBeforeItsPosition) {
  const Arguments options = {"--count", "10", "--recipe", "eval"};
  ASSERT_EQ(augment("out", options + checkpoint()).status, 0);
  const auto whole = visible("out");
  const fs::path damaged = path("out") / whole.begin()->first;
  for (const std::size_t bytes : {whole.begin()->second.size() / 2, std::size_t{0}}) {
    fs::resize_file(damaged, bytes);
    const Ran refused = augment("out", options + checkpoint() + kResume);
    EXPECT_EQ(refused.status, 2) << refused.out;
    EXPECT_EQ(refused.errors, "sluice: --checkpoint " + path("run.json").string() +
                                  ": the result " + damaged.string() +
                                  " is empty or truncated; run with --resume and without "
                                  "--checkpoint to make it again\n");
  }
  EXPECT_EQ(augment("out", options + kResume).status, 0);
  EXPECT_TRUE(visible("out") == whole);
  EXPECT_EQ(augment("out", options + checkpoint() + kResume).status, 0);
}

// Otherwise a misspelled name would silently repeat finished work.
TEST_F(CheckpointRun, SaysThatThereIsNoneYet) {
  const std::string none =
      "sluice: there is no checkpoint " + path("run.json").string() + " yet; the run ";
  EXPECT_FALSE(says(augment("out", checkpoint()).errors, none));
  EXPECT_FALSE(says(augment("out", checkpoint() + kResume).errors, none));
  const struct {
    std::string out, then;
  } cases[] = {{"out", "continues from the results in --out\n"},
               {"new", "starts from the beginning\n"}};
  for (const auto& c : cases) {
    fs::remove(path("run.json"));
    const Ran ran = augment(c.out, checkpoint() + kResume);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.errors.find(none + c.then), 0u) << ran.errors;
  }
}

// A damaged result after the position is made again.
TEST_F(CheckpointRun, MakesADamagedResultAfterItsPositionAgain) {
  ASSERT_EQ(augment("out", checkpoint()).status, 0);
  ASSERT_EQ(augment("out", Arguments{"--epochs", "2"} + kResume).status, 0);
  const auto whole = visible("out");
  const auto files = static_cast<std::int64_t>(files_below(data_).size());
  const auto later = std::find_if(whole.begin(), whole.end(),
                                  [&](const auto& file) { return number_of(file.first) >= files; });
  ASSERT_NE(later, whole.end());
  fs::resize_file(path("out") / later->first, later->second.size() / 2);
  const Ran ran = augment("out", Arguments{"--epochs", "2"} + checkpoint() + kResume);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_TRUE(visible("out") == whole);
}

TEST_F(CheckpointRun, SheetOfAResumedRunIsLabeled) {
  const std::string sheet = path("sheet.jpg").string();
  const Ran first = augment("out", checkpoint() + Arguments{"--sheet", sheet});
  EXPECT_TRUE(says(first.out, " samples: " + sheet)) << first.out << first.errors;
  const Ran ran =
      augment("out", checkpoint() + kResume + Arguments{"--epochs", "2", "--sheet", sheet});
  EXPECT_TRUE(says(ran.out, " samples after the checkpoint: " + sheet)) << ran.out << ran.errors;
}

TEST_F(CheckpointRun, GoesOnWithTheResultsThatAreThere) {
  const Arguments options = {"--count", "200", "--recipe", "eval", "--batch", "8"};
  ASSERT_EQ(augment("whole", options).status, 0);
  Started run(arguments("out", options + checkpoint() + Arguments{"--threads", "1"}));
  ASSERT_TRUE(run.wait_until([&] { return count("out") > 30; }));
  run.send(SIGTERM);
  ASSERT_EQ(run.finish().status, 143);
  const std::size_t before = count("out");
  const Ran resumed = augment("out", options + checkpoint() + kResume);
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  const std::size_t made = count("out") - before;
  EXPECT_TRUE(says(resumed.out, "delivered " + std::to_string(made) + " images")) << resumed.out;
  EXPECT_TRUE(visible("out") == visible("whole"));
}

TEST_F(CheckpointRun, ShardsHaveFilesOfTheirOwn) {
  const Arguments options = {"--epochs", "3", "--batch", "4", "--shuffle"};
  ASSERT_EQ(augment("whole", options).status, 0);
  for (const std::string shard : {"0/2", "1/2", "0/2"}) {
    const Ran ran = augment(
        "out", options + checkpoint() + kResume + Arguments{"--shard", shard, "--threads", "1"});
    ASSERT_EQ(ran.status, 0) << ran.errors;
  }
  EXPECT_TRUE(fs::exists(path("run.json.0-of-2")));
  EXPECT_TRUE(fs::exists(path("run.json.1-of-2")));
  EXPECT_FALSE(fs::exists(path("run.json")));
  EXPECT_TRUE(visible("out") == visible("whole"));
}

// A damaged checkpoint is refused. Without it the run goes by its results.
TEST_F(CheckpointRun, GoesOnWhenADamagedOneIsDeleted) {
  const Arguments options = {"--count", "10"};
  ASSERT_EQ(augment("out", options + checkpoint()).status, 0);
  const auto whole = visible("out");
  fs::resize_file(path("run.json"), 20);
  fs::remove(path("out") / whole.begin()->first);
  const Ran refused = augment("out", options + checkpoint() + kResume);
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.errors, "delete it if it is a damaged checkpoint")) << refused.errors;
  fs::remove(path("run.json"));
  EXPECT_EQ(augment("out", options + checkpoint() + kResume).status, 0);
  EXPECT_TRUE(visible("out") == whole);
}

TEST_F(CheckpointRun, RefusesWhatItCannotGoOnFrom) {
  ASSERT_EQ(augment("out", Arguments{"--count", "10"} + checkpoint()).status, 0);
  std::ofstream(path("text")) << "precious";
  const auto before = text_of(path("run.json"));
  const struct {
    Arguments options;
    std::string says;
  } cases[] = {
      {checkpoint(), " is there already: --resume continues from it, --overwrite starts over"},
      {checkpoint() + kResume + Arguments{"--count", "10", "--seed", "9"},
       "the checkpoint is of another "},
      {checkpoint() + kResume + Arguments{"--count", "10", "--recipe", "train"},
       "the checkpoint is of another "},
      {checkpoint() + kResume + Arguments{"--count", "12"}, "the checkpoint is of another "},
      {checkpoint() + kResume + Arguments{"--count", "10", "--on-error", "replace"},
       "the checkpoint is of another "},
      {checkpoint() + kResume + Arguments{"--count", "10", "--shuffle"},
       "the checkpoint is of another "},
      {{"--checkpoint", path("text").string()}, "nothing to go on from"},
      {{"--checkpoint", path("text").string(), "--overwrite"}, "nothing to go on from"},
      {{"--checkpoint", "/dev/null"}, "is not a file: give another name"},
      {{"--checkpoint", path("out").string()}, "is a folder"},
      {{"--checkpoint", path("none").string() + "/run.json"}, "there is no folder"},
      {{"--checkpoint", (data_ / "run.json").string()}, "lies in the --data folder"},
      {{"--checkpoint", path("new").string() + "/a_000001.jpg"}, "a name that results get"},
  };
  for (const auto& c : cases) {
    const Ran ran = augment("new", c.options);
    EXPECT_EQ(ran.status, 2) << c.says << ran.out << ran.errors;
    EXPECT_TRUE(says(ran.errors, c.says)) << c.says << ": " << ran.errors;
    EXPECT_EQ(count("new"), 0u) << c.says;
  }
  EXPECT_EQ(text_of(path("text")), "precious");
  EXPECT_EQ(text_of(path("run.json")), before);
  const Ran anew = augment("out", checkpoint() + Arguments{"--overwrite", "--seed", "9"});
  EXPECT_EQ(anew.status, 0) << anew.errors;
  EXPECT_NE(text_of(path("run.json")), before);
}

TEST_F(CheckpointRun, AClosedFolderIsRefusedBeforeTheWork) {
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), fs::perms::owner_read | fs::perms::owner_exec |
                                      fs::perms::others_read | fs::perms::others_exec);
  fs::permissions(test_folder(), fs::perms::all);
  for (const std::string option : {"--checkpoint", "--sheet", "--trace"}) {
    const std::string file = (path("closed") / "file").string();
    const Ran ran = Started(arguments("out", {option, file}), Started::As::nobody).finish();
    if (ran.status == Started::kCannotStart) GTEST_SKIP() << "nobody may not run the program here";
    EXPECT_EQ(ran.status, 2) << option;
    EXPECT_EQ(ran.errors,
              "sluice: " + option + " " + file +
                  " cannot be written: you may not write in its folder; choose another folder\n");
    EXPECT_FALSE(fs::exists(path("out"))) << option;
  }
}

// On a full disk, the results or the checkpoint do not fit.
TEST_F(CheckpointRun, AFullDiskLosesNothing) {
  const Arguments options = {"--epochs", "2", "--batch", "4"};
  ASSERT_EQ(augment("whole", options).status, 0);
  const auto whole = visible("whole");
  std::size_t most = 0;
  for (const auto& [name, bytes] : whole) most = std::max(most, bytes.size());
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto run_tight = [&](std::size_t bytes, const Arguments& more) {
    const rlimit tight{bytes, limit.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
    Ran ran = augment("out", options + checkpoint() + more);
    testing::tried("full-disk");
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    return ran;
  };
  const Ran results = run_tight(most - 1, {});
  EXPECT_EQ(results.status, 1);
  EXPECT_TRUE(says(results.errors, "stopped after ")) << results.errors;
  EXPECT_EQ(error_lines(results), 1u) << results.errors;
  EXPECT_LT(count("out"), whole.size());
  const Ran resumed = augment("out", options + checkpoint() + kResume);
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  EXPECT_TRUE(visible("out") == whole);
  fs::remove(path("run.json"));
  // A checkpoint has more bytes than this, and the program's messages have fewer.
  const Ran position = run_tight(420, kResume);
  EXPECT_EQ(position.status, 1);
  EXPECT_TRUE(says(position.errors, "run.json' cannot be written: File too large"))
      << position.errors;
  EXPECT_FALSE(fs::exists(path("run.json")));
  EXPECT_TRUE(files_below(path("out")) == whole);
}

// Without workers, the remaining samples cannot be read. They must not count as done.
TEST_F(CheckpointRun, EndsWhenNoWorkerIsLeft) {
  const Arguments options = {"--count", "1000",      "--recipe", "eval",      "--batch",
                             "8",       "--workers", "2",        "--threads", "1"};
  ASSERT_EQ(augment("whole", options).status, 0);
  // A busy machine may let the run come to its end before the last restart is used up.
  Ran ended;
  for (int attempt = 0; attempt < 3 && ended.status != 1; ++attempt) {
    fs::remove_all(path("out"));
    fs::remove(path("run.json"));
    Started run(arguments("out", options + checkpoint()));
    const auto kill_all = [&] {
      for (const pid_t worker : run.workers()) (void)::kill(worker, SIGKILL);
      return false;
    };
    ASSERT_TRUE(run.wait_until([&] { return count("out") > 10; }));
    (void)run.wait_until(kill_all);
    ended = run.finish();
  }
  EXPECT_EQ(ended.status, 1);
  EXPECT_TRUE(says(ended.errors, "with --resume the same command continues from here"))
      << ended.errors;
  EXPECT_LT(visible("out").size(), visible("whole").size());
  EXPECT_EQ(augment("out", options + checkpoint() + kResume).status, 0);
  // A file whose worker was killed twice cannot be used. 12 processes were killed, each while it
  // held two groups of 16.
  const auto whole = visible("whole");
  for (const auto& [name, bytes] : visible("out")) EXPECT_TRUE(whole.at(name) == bytes) << name;
  EXPECT_GE(visible("out").size() + 12 * 32 / 2, whole.size());
}

TEST_F(CheckpointRun, OfAnotherNumberOfProcessesIsRefused) {
  const Arguments options = {"--recipe", "eval"};
  ASSERT_EQ(augment("out", options + checkpoint() + Arguments{"--shard", "0/2"}).status, 0);
  fs::rename(path("run.json.0-of-2"), path("run.json"));
  const Ran ran = augment("out", options + checkpoint() + kResume);
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.errors, "sluice: --checkpoint " + path("run.json").string() +
                            ": wrong number of processes (got 1, expected 2); run as many as "
                            "before, or omit --checkpoint to continue from the results in --out\n");
}

TEST_F(CheckpointRun, NoInputIsWrittenOver) {
  const std::string index = path("index").string();
  ASSERT_EQ(Started(Arguments{"index", "--data", data_.string(), "--out", index}).finish().status,
            0);
  const auto before = fs::last_write_time(index);
  for (const char* option : {"--sheet", "--trace", "--checkpoint"}) {
    const Ran ran = augment("out", {"--index", index, option, index});
    EXPECT_EQ(ran.status, 2) << option << ran.errors;
    EXPECT_EQ(fs::last_write_time(index), before) << option;
  }
  const std::string both = path("both").string();
  EXPECT_TRUE(says(augment("out", {"--checkpoint", both, "--sheet", both}).errors,
                   "--checkpoint and --sheet are both"));
}

// Both write the same, whatever happens to one of them.
TEST_F(CheckpointRun, TwoProgramsInOneFolderDoNotHurtEachOther) {
  const Arguments options = {"--count", "120", "--recipe", "eval", "--batch", "4"};
  ASSERT_EQ(augment("whole", options).status, 0);
  for (const bool killed : {false, true}) {
    fs::remove_all(path("out"));
    fs::remove(path("run.json"));
    Started a(arguments("out", options + checkpoint() + kResume));
    Started b(arguments("out", options + checkpoint() + kResume));
    if (killed) {
      ASSERT_TRUE(a.wait_until([&] { return count("out") > 10; }));
      b.send(SIGKILL);
    }
    EXPECT_EQ(a.finish().status, 0);
    EXPECT_EQ(b.finish().status, killed ? -SIGKILL : 0);
    EXPECT_EQ(augment("out", options + checkpoint() + kResume).status, 0);
    EXPECT_TRUE(files_below(path("out")) == files_below(path("whole")));
  }
}

}  // namespace checkpoint_run_test
}  // namespace sluice::app
