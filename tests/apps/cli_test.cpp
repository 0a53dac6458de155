#include "benchmarks/bench/bench.h"
#include "program.h"
#include <sluice/cuda/gpu.h>

#include <algorithm>
#include <csignal>
#include <string>

namespace sluice::app {
namespace cli_test {

namespace fs = std::filesystem;

TEST(Cli, VersionAndHelp) {
  const Ran version = run_program("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out, "sluice " SLUICE_PROGRAM_VERSION "\n");
  for (const std::string command : {"", "augment ", "bench ", "demo-images ", "devices ", "graph ",
                                    "index ", "operators ", "pack ", "pictures ", "unpack "}) {
    const Ran help = run_program(command + "--help");
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_NE(help.out.find("Usage:"), std::string::npos) << command;
    EXPECT_EQ(help.errors, "") << command;
  }
}

TEST(Cli, HelpOfACommandIsThatOfItsOption) {
  for (const std::string command : {"", "augment", "bench", "cat", "demo-images", "devices",
                                    "graph", "help", "index", "operators", "pack", "unpack"}) {
    const Ran help = run_program("help " + command);
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(help.out, run_program(command + " --help").out) << command;
    EXPECT_EQ(help.errors, "") << command;
  }
  EXPECT_NE(run_program("--help").out.find("\n  help "), std::string::npos);
  EXPECT_NE(run_program("bench --help").out.find("(default: off; memory for latency)"),
            std::string::npos);
}

// Every machine has either GPUs or a reason for having none.
TEST(Cli, DevicesSaysWhatThereIsOrWhyNot) {
  const Ran told = run_program("devices");
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(told.errors, "");
  const Gpus found = look_for_gpus();
  // For each GPU, a line about its JPEG engines follows.
  EXPECT_EQ(told.out.rfind(to_string(found), 0), 0u) << told.out;
  if (found.gpus.empty()) {
    EXPECT_EQ(told.out, to_string(found));
  }
  EXPECT_EQ(found.gpus.empty(), !found.why_none.empty());
  EXPECT_EQ(told.out.rfind(found.gpus.empty() ? "no GPU: " : "device 0: ", 0), 0u) << told.out;
}

TEST(Cli, OperatorsSayWhetherTheyRunOnAGpu) {
  EXPECT_NE(run_program("operators rotate").out.find("Runs on a GPU, too."), std::string::npos);
  EXPECT_EQ(run_program("operators filter").out.find("GPU"), std::string::npos);
  const std::string all = run_program("operators").out;
  EXPECT_NE(all.find("Also on a GPU."), std::string::npos);
  const std::string json = run_program("operators cpu --json").out;
  EXPECT_NE(json.find("\"runs_on_device\": false"), std::string::npos) << json;
}

TEST(Cli, WrongArgumentsAreOneLineAndStatus2) {
  const std::string data = (test_folder() / "data").string();
  const std::string occupied = (test_folder() / "occupied").string();
  for (const std::string& folder : {data, occupied}) std::filesystem::create_directory(folder);
  std::ofstream(occupied + "/a.jpg") << "no image";
  std::ofstream(occupied + "_file") << "no folder";
  const std::string pngs = (test_folder() / "pngs").string();
  std::filesystem::create_directories(pngs + "/a");
  for (const char* name : {"/a/1.png", "/a/2.png"}) std::ofstream(pngs + name) << "x";
  const std::string link = (test_folder() / "link").string();
  std::filesystem::create_symlink("occupied/a.jpg", link);
  const struct {
    std::string arguments;
    std::string says;
  } cases[] = {
      {"", "devices, graph, help, index, operators, pack or unpack"},
      {"augmnet", "'augmnet' is not a command; did you mean augment? (sluice --help tells more)"},
      {"sepia", "'sepia' is not a command: choose augment, bench, cat, "},
      {"--frobnicate", "'--frobnicate' is not known here"},
      {"help augmnt",
       "command: 'augmnt' is not known; did you mean augment? (sluice help --help tells more)"},
      {"help sepia", "'sepia' is not known: choose augment, bench, "},
      {"help rotate", "command: 'rotate' is an operator; write: sluice operators rotate"},
      {"help augment bench", "'bench' is not known here (sluice help --help tells more)"},
      {"augment --data x", "--out DIR is missing"},
      {"--verison", "'--verison' is not known here; did you mean --version? (sluice --help"},
      {"augment --dat x --out y",
       "'--dat' is not known here; did you mean --data? (sluice augment"},
      {"augment --data x --batchsize 3",
       "here; did you mean --batch? (sluice augment --help tells"},
      {"augment --data x -o 3", "'-o' is not known here (sluice augment --help tells more)"},
      {"augment --data x -out 3", "did you mean --out? (sluice augment --help tells more)"},
      {"augment --data x --out-dir=y", "'--out-dir=y' is not known here; did you mean --out? ("},
      {"augment --data x --thread 3",
       "here; did you mean --threads or --io-threads? (sluice augment --help tells"},
      {"bench train --batch-size 3",
       "here; did you mean --batch? (sluice bench --help tells more)"},
      {"augment --data x --out y --colour", "'--colour' is not known here (sluice augment --help"},
      {"augment --out y --data", "--data needs one value"},
      {"augment --data " + data + " --out " + data, "--out"},
      {"augment --data " + data + " --out " + data + "/sub", "--out"},
      {"augment --data " + data + " --out x --sheet " + data + "/sheet.jpg", "--sheet"},
      {"augment --data " + data + " --out x --sheet x/a_000017.jpg", "a name that results get"},
      {"augment --data " + data + " --out x --trace " + data + "/a.jpg", "--trace"},
      {"augment --data x --out y --trace ''",
       "--trace: the value is empty; give one, or leave the option out"},
      {"augment --data x --out= --shuffle",
       "--out: the value is empty; give one, or leave the option out (sluice augment --help"},
      {"augment --data= --out y", "--data: the value is empty"},
      {"bench train --data x --json=", "--json: the value is empty"},
      {"augment --data x --out y --outt=", "'--outt' is not known here; did you mean --out?"},
      {"augment --data x --out y --resume=maybe",
       "--resume takes no value; write only --resume (sluice augment --help tells more)"},
      {"augment --data x --out y --all-names=maybe", "--all-names takes no value; write only"},
      {"augment --data x --out y --data z",
       "--data is given twice; give it once (sluice augment --help tells more)"},
      {"bench train --data x --data y", "--data is given twice; give it once"},
      {"graph --data x --data y", "--data is given twice; give it once"},
      {"cat --list x --list y", "--list is given twice; give it once"},
      {"augment --data '' --out y", "--data: the value is empty"},
      {"augment --data x --out y --shard ''", "--shard: the value is empty"},
      {"augment --data x --out y --index ''", "--index: the value is empty"},
      {"augment --list x --out y --label ''", "--label: the value is empty"},
      {"cat --data x --shard ''", "--shard: the value is empty"},
      {"bench train --data x --index ''", "--index: the value is empty"},
      {"bench decode --data x --nvjpeg ''", "--nvjpeg: the value is empty"},
      {"augment --data " + data + " --out x --trace -",
       "--trace - is not a file: standard output is already used; pass a file name"},
      {"graph --data " + data + " --trace -", "--trace - is not a file"},
      {"bench train --data " + data + " --trace -", "--trace - is not a file"},
      {"augment --data " + data + " --out x --sheet -", "--sheet - is not a file"},
      {"index --data " + occupied + " --out -", "--out - is not a file"},
      {"bench train --data " + data + " --json " + data + "_none/a.json", "there is no folder"},
      {"graph --data " + data + " --trace " + data + "/a.jpg", "lies in the --data folder"},
      {"bench train --data " + data + " --json " + data + "/a.jpg", "lies in the --data folder"},
      {"bench pipeline --data x --pipeline " + occupied + "/a.jpg --trace " + occupied + "/a.jpg",
       "is the file of --pipeline"},
      {"augment --data " + data + " --out " + data + "_out", "holds no JPEG files"},
      {"augment --data " + data + "/missing --out " + data + "_out", "does not exist"},
      {"augment --data " + occupied + " --out " + test_folder().string(), "--overwrite"},
      {"augment --data x --out y --recipe sepia", "'sepia' is not known"},
      {"augment --data x --out y --on-error ignore", "'ignore' is not known"},
      {"augment --data x --out y --count 0", "--count: '0' is not a whole number from 1"},
      {"augment --data x --out y --batch -3", "--batch: '-3'"},
      {"augment --data x --out y --threads many", "--threads: 'many'"},
      {"augment --data x --out y --seed -1", "--seed: '-1' is not a whole number from 0"},
      {"augment --data x --out y --seed 18446744073709551616", "--seed"},
      {"augment --data x --out y extra", "'extra' is not known"},
      {"augment " + data + " --out y", "is not known here; to read it write --data " + data},
      {"demo-images out/images", "is not known here; to write there write --out out/images"},
      {"cat " + occupied + "/a.jpg", "is not known here; to read it write --list"},
      {"augment --data " + occupied + "/a.jpg --out x", "a.jpg is a file: give the folder that"},
      {"graph --data " + occupied + "/a.jpg", "a.jpg is a file: give the folder that"},
      {"augment --data " + pngs + " --out x", "left out 2 with the ending .png (first: '"},
      {"graph --data " + pngs, "; convert them to JPEG, or give their endings"},
      {"bench train --data " + pngs, "; convert them to JPEG, or give their endings"},
      {"augment --data " + occupied + " --out " + occupied + "_file",
       "_file is not a folder: give"},
      {"augment --tar " + data + " --out x", "is a folder: name the archives in it, as in --tar '"},
      {"augment --list " + data + " --out x", "is a folder, not a file"},
      {"augment --list " + occupied + "/a.jpg --out x", "a name that does not end in .csv"},
      {"augment --list " + occupied + "_file --path x --out y", "rename it"},
      {"bench", "workload NAME is missing: decode, region"},
      {"bench sing", "'sing' is not known"},
      {"bench train", "needs --data"},
      {"bench train --data " + data, "holds no JPEG files"},
      {"bench overhead --rounds 0", "--rounds"},
      {"bench overhead --seconds 0", "--seconds: '0' is not a number from 0.01"},
      {"bench overhead --seconds nan", "--seconds"},
      {"graph --recipe sepia", "'sepia' is not known"},
      {"graph --passes --data x", "--passes excludes --data"},
      {"graph --count 3", "--count requires --data"},
      {"graph --threads 3", "--threads requires --data"},
      {"graph --data " + data, "holds no JPEG files"},
      {"graph --data " + data + "/missing --text", "does not exist"},
      {"augment --data " + occupied + " --out x --index " + data, "--index: the index"},
      {"augment --data x --out y --index", "--index needs one value"},
      {"bench train --data " + occupied + " --index missing", "cannot be opened"},
      {"augment --out x",
       "name the input: one of --data DIR, --list FILE, --tar FILE... and --pack PACK..."},
      {"augment --data x --list y --out z",
       "give only one of --data DIR, --list FILE, --tar FILE... and --pack PACK... (sluice "
       "augment"},
      {"augment --data x --tar y --out z", "give only one of --data DIR, --list FILE, --tar"},
      {"augment --data x --pack y --out z", "give only one of --data DIR, --list FILE, --tar"},
      {"augment --data x --out y --boxes z", "--boxes requires --list or --pack (sluice augment"},
      {"index --data x --check missing", "--check: the index"},
      {"index --tar x --check y", "--check is for --data"},
      {"index --data x --check y --out z", "--check excludes --out"},
      {"augment --data x --out y --verify", "--verify needs --index FILE"},
      {"augment --data x --out y --verify --index memory", "--verify needs --index FILE"},
      {"augment --tar x --out y --verify --index z", "--verify is for --data and --list"},
      {"augment --pack x --out y --index memory", "--index is for JPEG files; packs need none"},
      {"augment --pack " + data + " --out x", "--pack: the folder '" + data + "' holds no packs"},
      {"augment --pack " + occupied + "/a.jpg --out x", "--pack: "},
      {"augment --data x --out y --path z", "--path requires --list"},
      {"augment --list x --out y --offsets z", "--offsets requires --tar"},
      {"augment --data " + occupied + " --out x --label y",
       "--label is a column of --list, --tar or --pack"},
      {"augment --data x --out y --workers 0", "--workers: '0' is not a whole number from 1"},
      {"augment --data x --out y --workers 2 --io-threads 3", "excludes"},
      {"augment --data " + occupied + " --out x --count 1000000 --shard 0/1000",
       "--shard 0/1000: 1 sample cannot be shared by 1000 processes; give an N of at most 1"},
      {"augment --data " + occupied + " --out x --workers 2 --index memory",
       "--workers and --index exclude each other"},
      {"augment --data x --out y --checkpoint ''", "--checkpoint: the value is empty"},
      {"augment --data x --out y --checkpoint-every 3", "--checkpoint-every requires --checkpoint"},
      {"augment --data x --out y --checkpoint z --checkpoint-every -1", "--checkpoint-every: '-1'"},
      {"augment --list " + data + "/none.csv --out x", "--list: '"},
      {"augment --tar " + data + "/none.tar --out x", "--tar: "},
      {"augment --tar '" + data + "/*.tar' --out x", "there is no file whose name fits"},
      {"bench train --workers 3", "--workers is for bench source"},
      {"bench source --trace x", "bench source has many pipelines"},
      {"bench source --index memory", "bench source uses no index"},
      {"bench overhead --index memory", "bench overhead uses no index"},
      {"bench wait --index memory", "bench wait uses no index"},
      {"bench wait --batch 2000", "--batch 2000 is more than the 1024 samples that wait at once"},
      {"bench overhead --json " + link, "--json " + link + " is a link to occupied/a.jpg"},
      {"index --data x", "--out FILE is missing, or --check FILE"},
      {"index --out x", "--data DIR is missing"},
      {"index --data x --tar y --out z", "--data excludes --tar"},
      {"index --tar " + data + "/none.tar --out x", "--tar: "},
      {"index --tar " + occupied + "_file --out x", "--tar: "},
      {"index --tar x --out " + occupied + "/a.jpg",
       "a.jpg exists and is not an archive index; pass another name"},
      {"cat", "name the input: one of --data DIR, --list FILE, --tar FILE... and --pack PACK..."},
      {"cat --list x --tar y", "PACK... (sluice cat --help tells more)"},
      {"cat --pack " + data, "--pack: the folder '" + data + "' holds no packs"},
      {"cat --data " + data, "holds no JPEG files"},
      {"cat --data x --columns y", "--columns requires --list"},
      {"cat --data x --offsets y", "--offsets requires --tar"},
      {"cat --data x --head -1", "--head: '-1'"},
      {"cat --list ''", "--list: the value is empty"},
      {"cat --data x --seed 3", "--seed requires --shuffle"},
      {"cat --data " + occupied + " --shard 2/2", "--shard must be I/N"},
      {"cat --tar '" + data + "/*.tar'", "there is no file whose name fits"},
      {"cat --tar " + data + "/none.tar", "--tar: "},
      {"cat --list " + data + "/none.csv", "--list: '"},
      {"cat --list " + data, "is a folder, not a file"},
      {"index --data " + data + " --out x", "holds no JPEG files"},
      {"index --data " + occupied + " --out " + data, "is a folder: give the name of a file"},
      {"index --data " + occupied + " --out " + occupied + "/a.jpg",
       "a.jpg exists and is not an index; pass another name"},
      {"index --data x --out y --grain 0", "--grain: '0' is not a whole number from 1 to 65535"},
      {"index --data x --out y --grain columns", "nor 'rows'"},
      {"index --data x --out y --threads 0", "--threads: '0'"},
      {"graph --pack " + data, "--pack: the folder '" + data + "' holds no packs"},
      {"graph --pack " + data + " --trace " + data + "/part-00000.pack",
       "lies in a folder of packs"},
      {"bench train --pack " + data + " --json " + data + "/x/y", "lies in a folder of packs"},
      {"augment --pack " + data + " --out x --sheet " + data + "/a.jpg",
       "lies in a folder of packs"},
      {"graph --pack x --json", "--json excludes --pack"},
      {"graph --pack x --data y", "--data excludes --pack"},
      {"bench train --pack x --data y", "--data excludes --pack"},
      {"bench train --pack " + data, "--pack: the folder '" + data + "' holds no packs"},
      {"bench train --pack x --index memory", "--index is for JPEG files; packs need none"},
      {"bench overhead --pack x", "bench overhead reads no packs"},
      {"bench overhead --data x", "bench overhead reads no files"},
      {"bench wait --data x", "bench wait reads no files"},
      {"bench latency --batch 3 --data x", "leave --batch out"},
      {"graph --text --json", "--text excludes --json"},
      {"graph --json --compose", "--json excludes --compose"},
      {"operators --markdown --sheet x.jpg", "--markdown excludes --sheet"},
      {"index --tar x --out z --grain 3", "--tar excludes --grain"},
      {"index --tar x --out z --threads 3", "--tar excludes --threads"},
      {"bench source --pack x", "bench source reads no packs"},
      {"pack --data x", "--out DIR is missing: folder for the packs"},
      {"pack --out x", "name the input: one of --data DIR, --list FILE and --tar FILE... (sluice"},
      {"pack --data x --list y --out z", "give only one of --data DIR, --list FILE and --tar"},
      {"pack --data " + data + " --out x", "holds no JPEG files"},
      {"pack --data " + occupied + " --out " + occupied, "lies in the --data folder"},
      {"pack --data " + occupied + " --out " + occupied + "_file", "_file is not a folder: give"},
      {"pack --data x --out y --pack-size 3", "--pack-size: '3' is not a size such as 500KB"},
      {"pack --data x --out y --pack-size 0MB", "'0MB' is not a size such as 500KB, 256MB or 1GB"},
      {"pack --data x --out y --columns z", "--columns requires --list or --tar (sluice pack"},
      {"pack --data x --out y --on-error replace", "--on-error: 'replace' is not known"},
      {"pack --data x --out y --count 0", "--count: '0' is not a whole number from 1"},
      {"unpack --out x", "packs PACK is missing: packs that sluice pack wrote"},
      {"unpack x", "--out DIR is missing: folder for the files"},
      {"unpack " + data + " --out x", "packs: the folder '" + data + "' holds no packs"},
      {"unpack " + occupied + "/a.jpg --out x", "packs: "},
      {"demo-images", "--out DIR is missing"},
      {"pictures", "--out DIR is missing"},
      {"demo-images --out " + occupied,
       "the folder already holds other files, such as 'a.jpg'; give a new or empty folder"},
  };
  for (const auto& c : cases) {
    const Ran ran = run_program(c.arguments);
    EXPECT_EQ(ran.status, 2) << c.arguments;
    EXPECT_NE(ran.errors.find(c.says), std::string::npos) << c.arguments << ": " << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1)
        << c.arguments << ": " << ran.errors;
    EXPECT_EQ(ran.out, "") << c.arguments;
  }
}

// Without a reader of its output the program ends as others do: status 128 + SIGPIPE, no message.
TEST(Cli, AClosedPipeEndsItQuietly) {
  const std::string pipe = (test_folder() / "pipe").string();
  for (const std::string command : {"operators", "graph", "--help"}) {
    fs::remove(pipe);
    const Ran ran = run_command("{ mkfifo " + pipe + "; exec 3<>" + pipe + " 4>" + pipe +
                                " 3>&-; " SLUICE_PROGRAM " " + command + " >&4; echo $?; }");
    EXPECT_EQ(ran.out, std::to_string(128 + SIGPIPE) + "\n") << command;
    EXPECT_EQ(ran.errors, "") << command;
  }
}

TEST(Cli, AFullDiskUnderTheOutputIsOneError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  for (const std::string command : {"operators", "operators rotate", "--version"}) {
    const Ran ran = run_command(SLUICE_PROGRAM " " + command + " >/dev/full");
    EXPECT_EQ(ran.status, 1) << command;
    EXPECT_EQ(ran.errors, "sluice: standard output cannot be written: No space left on device\n");
  }
}

TEST(Cli, GraphDrawsEveryRecipe) {
  for (const std::string recipe : {"rotate", "train", "eval"}) {
    const Ran ran = run_program("graph --recipe " + recipe);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out.rfind("digraph", 0), 0u);
    EXPECT_NE(ran.out.find("decode_jpeg"), std::string::npos) << recipe;
  }
  EXPECT_NE(run_program("graph").out.find("rotate"), std::string::npos);
}

// Except --data and --list.
TEST(Cli, OfAnOptionGivenTwiceTheLastCounts) {
  EXPECT_EQ(run_program("graph --recipe eval --recipe train").out,
            run_program("graph --recipe train").out);
}

TEST(Cli, GraphPrintsThePlanAndWhatEachPassDid) {
  const Ran text = run_program("graph --text");
  EXPECT_EQ(text.status, 0) << text.errors;
  EXPECT_EQ(text.out.rfind("read() -> ", 0), 0u) << text.out;  // no samples, so no number of them
  EXPECT_NE(text.out.find("if_else by"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("note("), std::string::npos) << text.out;  // pruned
  const Ran passes = run_program("graph --passes");
  EXPECT_EQ(passes.status, 0) << passes.errors;
  EXPECT_EQ(passes.out.rfind("as recorded:\n", 0), 0u) << passes.out;
  EXPECT_NE(passes.out.find("note("), std::string::npos) << passes.out;
  EXPECT_NE(passes.out.find("carry: no change\n"), std::string::npos) << passes.out;
  EXPECT_EQ(passes.out.find("compose:"), std::string::npos) << passes.out;
  const Ran composed = run_program("graph --passes --compose");
  EXPECT_EQ(composed.status, 0) << composed.errors;
  EXPECT_NE(composed.out.find("compose: no change\n"), std::string::npos) << composed.out;
}

TEST(Cli, GraphCountsWhatRanOnImages) {
  const auto data = test_folder() / "data";
  ASSERT_EQ(run_program("demo-images --out " + data.string()).status, 0);
  const auto files = files_below(data).size();
  for (const std::string threads : {"1", "4"}) {
    const std::string command = "graph --data " + data.string() + " --threads " + threads;
    const Ran text = run_program(command + " --text");
    EXPECT_EQ(text.status, 0) << text.errors;
    EXPECT_NE(text.out.find("[source; io]   " + std::to_string(files) + " runs, "),
              std::string::npos)
        << text.out;
    // One of the files is damaged, and does not reach the conditional.
    EXPECT_NE(text.out.find(" of " + std::to_string(files - 1) + " times"), std::string::npos)
        << text.out;
    const Ran more = run_program(command + " --count 100");
    EXPECT_EQ(more.status, 0) << more.errors;
    EXPECT_EQ(more.out.rfind("digraph", 0), 0u);
    EXPECT_NE(more.out.find("\"read\\n100 runs, "), std::string::npos) << more.out;
  }
}

TEST(Cli, GraphSaysWhatItCannotRead) {
  const auto data = test_folder() / "data";
  ASSERT_EQ(run_program("demo-images --out " + data.string()).status, 0);
  std::filesystem::create_directory_symlink(".", data / "loop");
  const Ran ran = run_program("graph --data " + data.string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.errors.rfind("left out 1 that cannot be read, the first: loop: a link that leads "
                             "back to a folder above it\n",
                             0),
            0u)
      << ran.errors;
}

TEST(Cli, DemoImagesSaysWhatItWrote) {
  const std::string folder = (test_folder() / "deep" / "down").string();
  const Ran ran = run_program("demo-images --out " + folder);
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.out.find("damaged.jpg"), std::string::npos);
  EXPECT_GE(files_below(folder).size(), 12u);
  const Ran refused = run_program("demo-images --out " + folder + "/arrow.jpg/x");
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.errors.find("cannot be made"), std::string::npos) << refused.errors;
}

TEST(Cli, DemoImagesReplacesOnlyItsOwnFiles) {
  const std::string folder = (test_folder() / "data").string();
  const Ran first = run_program("demo-images --out " + folder);
  ASSERT_EQ(first.status, 0) << first.errors;
  const auto files = files_below(folder);
  std::ofstream(folder + "/arrow.jpg") << "broken";
  const Ran again = run_program("demo-images --out " + folder);
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(again.out, first.out);
  EXPECT_TRUE(files_below(folder) == files);
  for (const char* name : {"b_notes.txt", "a_notes.txt"}) std::ofstream(folder + "/" + name) << "x";
  std::ofstream(folder + "/arrow.jpg") << "kept";
  const Ran refused = run_program("demo-images --out " + folder);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.errors, "sluice: --out " + folder +
                                ": the folder already holds other files, such as 'a_notes.txt'; "
                                "give a new or empty folder\n");
  EXPECT_EQ(text_of(folder + "/arrow.jpg"), "kept");
}

TEST(Cli, TheOldNameOfDemoImagesIsNotInTheHelp) {
  const auto now = test_folder() / "now", old = test_folder() / "old";
  ASSERT_EQ(run_program("demo-images --out " + now.string()).status, 0);
  ASSERT_EQ(run_program("pictures --out " + old.string()).status, 0);
  EXPECT_TRUE(files_below(now) == files_below(old));
  const std::string help = run_program("--help").out;
  EXPECT_NE(help.find("demo-images"), std::string::npos) << help;
  EXPECT_EQ(help.find("pictures"), std::string::npos) << help;
}

}  // namespace cli_test
}  // namespace sluice::app
