#include "apps/output_paths.h"
#include "benchmarks/bench/nvjpeg_baseline.h"
#include "benchmarks/bench/rounds.h"
#include "plain_device.h"
#include "program.h"
#include <sluice/cuda/gpu.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/runtime/image.h>

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

namespace sluice::app {
namespace nvjpeg_test {

using device::check_nvjpeg;
using device::nvjpeg_status;
using device::open_nvjpeg;

// A file to print into, and its text.
class Lines {
 public:
  std::FILE* file() { return file_.get(); }
  std::string text() {
    (void)std::fflush(file());
    return text_of(path_);
  }

 private:
  const std::filesystem::path path_ = test_folder() / "lines";
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{std::fopen(path_.c_str(), "w"),
                                                        std::fclose};
};

class NvjpegTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path data = test_folder() / "data";
    std::filesystem::create_directories(data);
    for (int i = 0; i < kImages; ++i) {
      Image image(10 + 7 * i, 30 - 3 * i, i % 3 == 0 ? 1 : 3);
      for (int y = 0; y < image.height(); ++y)
        std::fill_n(image.row(y), image.row_bytes(), static_cast<std::uint8_t>(90 + 20 * i + y));
      write_file((data / (std::to_string(i) + ".jpg")).string(), encode_jpeg(image));
    }
    // A progressive one.
    std::filesystem::copy(std::filesystem::path(SLUICE_DEMO_IMAGES) / "mountains.jpg", data);
    corpus_.emplace(data.string());
    ASSERT_EQ(corpus_->size(), kImages + 1);
    fake_ = FakeNvjpeg();
  }
  void TearDown() override {
    baseline_.reset();
    EXPECT_EQ(fake_.objects, 0);
    EXPECT_EQ(fake_.reused, 0);
    EXPECT_EQ(fake_.not_ready, 0);
    EXPECT_EQ(device_->blocks(), 0);
  }
  void make() { baseline_ = make_nvjpeg_baseline(library_, *corpus_, device_, 2, lines_.file()); }
  static std::string words_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  }

  static constexpr int kImages = 5;
  const Nvjpeg library_ = open_nvjpeg(SLUICE_FAKE_NVJPEG);
  FakeNvjpeg& fake_ = fake_of_library();
  std::shared_ptr<PlainDevice> device_ = std::make_shared<PlainDevice>(fake_, 0);
  std::optional<Corpus> corpus_;
  Lines lines_;
  std::unique_ptr<NvjpegBaseline> baseline_;
};

TEST_F(NvjpegTest, SaysWhatIsMissing) {
  EXPECT_EQ(library_.version, "99.1.2");
  struct Case {
    const char* file;
    const char* says;
  };
  for (const Case& c : {Case{"/nowhere/libnvjpeg.so", "nvJPEG cannot be opened: /nowhere"},
                        Case{"libm.so.6", "nvJPEG lacks a function: "}}) {
    const std::string words = words_of([&] { (void)open_nvjpeg(c.file); });
    EXPECT_EQ(words.find(c.says), 0u) << words;
    EXPECT_EQ(words.find('\n'), std::string::npos) << words;
  }
  try {
    EXPECT_FALSE(open_nvjpeg().version.empty());
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("the system finds none of libnvjpeg.so.13,"),
              std::string::npos)
        << e.what();
  }
}

TEST_F(NvjpegTest, NamesWhatFailed) {
  EXPECT_EQ(nvjpeg_status(0), "SUCCESS (0)");
  EXPECT_EQ(nvjpeg_status(7), "ARCH_MISMATCH (7)");
  EXPECT_EQ(nvjpeg_status(10), "INCOMPLETE_BITSTREAM (10)");
  for (const int status : {-1, 11}) {
    EXPECT_EQ(nvjpeg_status(status), "an unknown status (" + std::to_string(status) + ")");
    EXPECT_EQ(words_of([&] { check_nvjpeg(status, "decoding"); }),
              "nvJPEG: decoding: " + nvjpeg_status(status));
  }
  EXPECT_NO_THROW(check_nvjpeg(0, "decoding"));
}

TEST_F(NvjpegTest, DecodesBatchesInTurns) {
  make();
  const NvjpegFacts facts = baseline_->facts();
  EXPECT_EQ(facts.version, "99.1.2");
  EXPECT_EQ(facts.files, kImages);
  EXPECT_EQ(facts.files_not_decoded, 1);  // the progressive one
  EXPECT_GT(baseline_->images_per_second(), 0);
  const std::int64_t batch = facts.batch;
  EXPECT_GE(batch, 16);
  for (const std::int64_t images : {std::int64_t{1}, batch, 5 * batch + 1}) {
    fake_.batches = fake_.files = fake_.most_under_way = 0;
    EXPECT_GT(baseline_->run(images), 0);
    const std::int64_t batches = (images + batch - 1) / batch;
    EXPECT_EQ(fake_.batches, batches);
    EXPECT_EQ(fake_.files, batches * batch);
    EXPECT_EQ(fake_.most_under_way, std::min<std::int64_t>(batches, 3));
    EXPECT_EQ(fake_.under_way, 0);  // all are over when it says so
  }
}

TEST_F(NvjpegTest, LeavesOutAFileThatItRefuses) {
  fake_.refused_width = 27;  // of the second one
  make();
  EXPECT_EQ(baseline_->facts().files, kImages - 1);
  EXPECT_EQ(baseline_->facts().files_not_decoded, 2);
  EXPECT_GT(baseline_->run(20), 0);
}

// A test cannot tell which backend is faster.
TEST_F(NvjpegTest, UsesWhatTheGpuHas) {
  struct Case {
    unsigned refused;
    std::vector<std::string> says;
    std::vector<std::string> not_said;
  };
  const std::string engines = "nvJPEG 99.1.2 on 7 JPEG engines: ";
  const std::string no_engines = "does not run on JPEG engines: nvJPEG: making a decoder: ARCH_";
  const std::string cores = "nvJPEG 99.1.2 on the GPU's cores: ";
  const std::string no_cores = "does not run on the GPU's cores: ";
  const std::string host = " on the host and the GPU's cores";
  for (const Case& c : {Case{0, {engines, cores}, {host, no_engines}},
                        Case{1u << 3, {no_engines, cores}, {host, engines}},
                        Case{1u << 2, {engines, no_cores}, {host, no_engines}},
                        Case{1u << 2 | 1u << 3, {no_engines, no_cores, host}, {engines}}}) {
    Lines lines;
    fake_.refused_backends = c.refused;
    const auto baseline = make_nvjpeg_baseline(library_, *corpus_, device_, 2, lines.file());
    EXPECT_GT(baseline->run(1), 0);
    for (const std::string& part : c.says)
      EXPECT_NE(lines.text().find(part), std::string::npos) << part << " in " << lines.text();
    for (const std::string& part : c.not_said)
      EXPECT_EQ(lines.text().find(part), std::string::npos) << part << " in " << lines.text();
  }
  fake_.refused_backends = ~0u;
  EXPECT_EQ(words_of([this] { make(); }), "it does not run here");
}

TEST_F(NvjpegTest, TakesNoBatchesThatLoseImages) {
  fake_.loses_from = 64;
  make();
  EXPECT_LE(baseline_->facts().batch, 32);
  EXPECT_EQ(baseline_->facts().files, kImages);
  fake_.loses_from = 2;  // alone each is all right
  Lines lines;
  EXPECT_EQ(
      words_of([&] { (void)make_nvjpeg_baseline(library_, *corpus_, device_, 2, lines.file()); }),
      "it does not run here");
  EXPECT_NE(lines.text().find("nvJPEG loses images of batches"), std::string::npos);
  fake_.loses_from = 1;
  EXPECT_EQ(
      words_of([&] { (void)make_nvjpeg_baseline(library_, *corpus_, device_, 2, lines.file()); }),
      "it does not run here");
  EXPECT_NE(lines.text().find("nvJPEG decodes none of the files"), std::string::npos);
}

TEST_F(NvjpegTest, OnlyDeviceZeroIsItsOwn) {
  device_ = std::make_shared<PlainDevice>(fake_, 1);
  const std::string words = words_of([this] { make(); });
  EXPECT_NE(words.find("CUDA_VISIBLE_DEVICES"), std::string::npos) << words;
}

// Ours takes a second for 100 images, the limit two, the baseline 10 seconds for 4,000.
class Turns : public NvjpegTest {
 protected:
  Result alternate_with(const Baseline& baseline) {
    const Subject ours{[] { return 1.0; }, [] { return Stats(); }};
    return alternate(
        ours, [] { return 2.0; }, baseline, 100, 3, lines_.file());
  }
};

TEST_F(Turns, ABaselineHasRatiosOfItsOwn) {
  const Result result = alternate_with({"other", 4000, [] { return 10.0; }});
  ASSERT_TRUE(result.baseline);
  ASSERT_EQ(result.rounds.size(), 3u);
  for (const Round& round : result.rounds) {
    EXPECT_EQ(round.ratio(), 2.0);
    EXPECT_EQ(round.baseline, 400.0);
    EXPECT_EQ(round.baseline_ratio(), 0.25);
  }
  EXPECT_NE(lines_.text().find("ratio 2.000; other      400.0/s, ratio 0.250\n"), std::string::npos)
      << lines_.text();
}

TEST_F(Turns, ABaselineThatFailsIsOut) {
  make();
  const Baseline baseline{"nvJPEG", 1, [this] { return baseline_->run(1); }};
  fake_.fails_after = 2;  // one warms up
  const Result result = alternate_with(baseline);
  EXPECT_FALSE(result.baseline);
  ASSERT_EQ(result.rounds.size(), 3u);
  EXPECT_EQ(result.rounds.back().ratio(), 2.0);
  EXPECT_NE(lines_.text().find("  nvJPEG is out: nvJPEG: decoding a batch: EXECUTION_FAILED (6)\n"),
            std::string::npos)
      << lines_.text();
  EXPECT_FALSE(alternate_with({}).baseline);
  const Baseline lost{"nvJPEG", 1, []() -> double { throw DeviceError("gone", true); }};
  EXPECT_EQ(words_of([&] { (void)alternate_with(lost); }), "gone");
}

TEST(NvjpegOption, IsForWhatOnlyDecodesOnAGpu) {
  for (const char* command : {"bench train --device gpu", "bench decode", "bench overhead",
                              "bench region --device stand-in"}) {
    const Ran ran = run_program(std::string(command) + " --data x --nvjpeg libnvjpeg.so.13");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_NE(ran.errors.find("--nvjpeg FILE is for bench decode and region"), std::string::npos)
        << ran.errors;
  }
}

// With a GPU and, if it is found, the real library.
TEST_F(NvjpegTest, StandsBesideOursOnAGpu) {
  if (look_for_gpus().gpus.empty()) GTEST_SKIP() << "there is no GPU";
  for (const char* workload : {"decode", "region"}) {
    const std::string common = std::string("bench ") + workload + " --data " +
                               (test_folder() / "data").string() +
                               " --device gpu --seconds 0.05 --rounds 2 --json -";
    const Ran with = run_program(common);
    ASSERT_EQ(with.status, 0) << with.errors;
    const auto json = nlohmann::json::parse(with.out);
    if (json.contains("nvjpeg")) {
      EXPECT_GT(json.at("nvjpeg").at("images_per_second"), 0);
      EXPECT_GT(json.at("nvjpeg").at("ratio"), 0);
      EXPECT_EQ(json.at("nvjpeg").at("rounds").size(), 2u);
      EXPECT_NE(with.errors.find("nvJPEG's full decode "), std::string::npos) << with.errors;
    } else {
      EXPECT_NE(with.errors.find("without nvJPEG: "), std::string::npos) << with.errors;
    }
    const Ran without = run_program(common + " --nvjpeg off");
    ASSERT_EQ(without.status, 0) << without.errors;
    EXPECT_EQ(without.errors.find("nvJPEG"), std::string::npos) << without.errors;
    const Ran wrong = run_program(common + " --nvjpeg /nowhere/libnvjpeg.so");
    ASSERT_EQ(wrong.status, 0) << wrong.errors;
    EXPECT_NE(wrong.errors.find("without nvJPEG: nvJPEG cannot be opened: "), std::string::npos)
        << wrong.errors;
  }
}

}  // namespace nvjpeg_test
}  // namespace sluice::app
