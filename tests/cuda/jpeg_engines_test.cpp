// JPEG engines of a device: the files that they decode, and what happens to refused files and to
// work that fails.
#include "tests/cuda/jpeg/test_files.h"
#include "tests/cuda/test_device.h"
#include "tests/one_in.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/header.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/ops/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/jpeg_engines.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace jpeg_engines_test {

std::shared_ptr<HostDevice> with_engines(int places, HostDevice::Options options = {}) {
  options.jpeg_places = places;
  return std::make_shared<HostDevice>(std::move(options));
}

File photo(std::uint64_t seed, const Sampling& sampling = kSamplings[2]) {
  return encode_test_jpeg(sampling, 40 + static_cast<int>(seed % 7), 61, 80, 0, seed, true);
}

// The results of a pipeline of files: each file whole, and a part of it.
struct Made {
  std::map<std::int64_t, Image> whole, part;
  std::vector<std::string> errors;
  std::map<std::string, std::int64_t> events;
  std::int64_t given_back = 0;
};

constexpr Rectangle kPart{3, 5, 21, 30};

struct How {
  std::shared_ptr<Device> device;
  Decoder decoder = Decoder::any;
  std::shared_ptr<JpegIndex> index = {};
  int threads = 2;
};

Made decode_all(const std::vector<File>& files, const How& how) {
  const PipelineOptions options{.batch_size = 8,
                                .threads = how.threads,
                                .device = how.device,
                                .decoder = how.decoder,
                                .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto file = g.source(static_cast<std::int64_t>(files.size()), [&](const SampleInfo& info) {
      Bytes view = Bytes::view_of(files[static_cast<std::size_t>(info.index_in_epoch)]);
      view.set_index(how.index);
      return view;
    });
    if (how.device == nullptr)
      return std::tuple{decode_jpeg(file), decode_jpeg(file, Param<Rectangle>(kPart))};
    auto there = file.gpu();
    return std::tuple{decode_jpeg(there).cpu(), decode_jpeg(there, Param<Rectangle>(kPart)).cpu()};
  });
  Made made;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      made.whole[batch.ids()[i]] = batch.template get<0>()[i].clone();
      made.part[batch.ids()[i]] = batch.template get<1>()[i].clone();
    }
    for (const SampleError& error : batch.errors()) made.errors.push_back(error.what);
  }
  const Stats stats = pipeline.stats();
  for (const EventStats& event : stats.events) made.events[event.name] += event.count;
  made.given_back = stats.device.given_back;
  return made;
}

Image with_other_bits(const Image& image) {
  Image other = image.clone();
  for (int y = 0; y < other.height(); ++y) {
    std::uint8_t* const row = other.row(y);
    std::transform(row, row + other.row_bytes(), row,
                   [](std::uint8_t level) { return static_cast<std::uint8_t>(level ^ 1u); });
  }
  return other;
}

File progressive() {
  return reference_encode(draw_image(40, 61, 3, 1), JCS_RGB, 80,
                          [](jpeg_compress_struct& info) { jpeg_simple_progression(&info); });
}
File cut(File file, std::size_t bytes) {
  file.resize(file.size() - bytes);
  return file;
}

bool is_damaged(const File& file) {
  Image image;
  try {
    decode_jpeg_image(file, JpegOptions(), image);
    return false;
  } catch (const JpegError&) {
    return true;
  }
}
// The header does not show it.
void damage(File& file) {
  Random random({.seed = 3});
  const std::size_t middle = file.size() / 2;
  while (!is_damaged(file)) {
    std::uint8_t& byte = file[middle + random.below(static_cast<std::uint32_t>(middle - 2))];
    const auto other = static_cast<std::uint8_t>(byte ^ (1u << random.below(8)));
    if (byte != 0xff && byte != 0 && other != 0xff) byte = other;  // markers stay as they are
  }
}

TEST(JpegEnginesOfADevice, DecodeWhatTheyCan) {
  const auto index = JpegIndex::in_memory({.grain = 4});
  const File known = photo(9);
  Image image;
  decode_jpeg_image(known, JpegOptions(), image, index.get());
  struct Row {
    const char* what;
    File file;
    bool there;
    std::shared_ptr<JpegIndex> index = {};
  };
  const std::vector<Row> rows{
      {"4:4:4", photo(0, kSamplings[0]), true},
      {"4:2:2", photo(1, kSamplings[1]), true},
      {"4:2:0", photo(2, kSamplings[2]), true},
      {"4:4:0", photo(3, kSamplings[3]), true},
      {"gray", photo(4, kSamplings[4]), false},
      {"progressive", progressive(), false},
      {"to be turned", turned(photo(6), 6), false},
      {"without an end", cut(photo(7), 2), false},
      {"half of it", cut(photo(8), photo(8).size() / 2), false},
      {"known to an index", known, false, index},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    const Made expected = decode_all({row.file}, {.device = nullptr});
    const Made made = decode_all({row.file}, {.device = with_engines(4), .index = row.index});
    EXPECT_EQ(made.errors, expected.errors);
    EXPECT_EQ(made.events.count("on_engines") != 0 && made.events.at("on_engines") == 2, row.there);
    ASSERT_EQ(made.whole.size(), expected.whole.size());
    for (const auto& [id, whole] : expected.whole) {
      EXPECT_TRUE(made.whole.at(id) == (row.there ? with_other_bits(whole) : whole.clone()));
      const Image& part = expected.part.at(id);
      EXPECT_TRUE(made.part.at(id) == (row.there ? with_other_bits(part) : part.clone()));
    }
    const Made exact = decode_all({row.file}, {with_engines(4), Decoder::exact, row.index});
    EXPECT_TRUE(exact.whole == expected.whole && exact.part == expected.part);
    EXPECT_EQ(exact.events.count("on_engines") != 0 ? exact.events.at("on_engines") : 0, 0);
  }
}

TEST(JpegEnginesOfADevice, LeaveToTheCoresWhatFindsNoPlace) {
  std::vector<File> files;
  for (std::uint64_t i = 0; i < 64; ++i) files.push_back(photo(i));
  const Made expected = decode_all(files, {.device = nullptr});
  for (const int threads : {1, 3}) {
    const auto device = with_engines(3);
    const Made made = decode_all(files, {.device = device, .threads = threads});
    EXPECT_TRUE(made.errors.empty());
    EXPECT_GT(made.events.at("on_engines"), 0);
    EXPECT_GT(made.events.at("on_device"), 0);
    EXPECT_EQ(made.events.at("on_engines") + made.events.at("on_device"), 128);
    for (const auto& [id, whole] : expected.whole) {
      const Image& here = made.whole.at(id);
      EXPECT_TRUE(here == whole || here == with_other_bits(whole)) << id;
    }
    // All places are free again.
    JpegEngines& engines = *device->jpeg_engines(nullptr);
    for (int place = 0; place < 3; ++place) EXPECT_TRUE(engines.enter(this));
    EXPECT_FALSE(engines.enter(this));
    EXPECT_TRUE(device->violations().empty());
  }
}

// If a file's codes are damaged in the middle, the engines refuse all files of its batch.
TEST(JpegEnginesOfADevice, RefuseWhatTheHostThenDecodes) {
  std::vector<File> files;
  for (std::uint64_t i = 0; i < 24; ++i) files.push_back(photo(i));
  damage(files[5]);
  const Made expected = decode_all(files, {.device = nullptr});
  ASSERT_EQ(expected.errors.size(), 1u);
  const Made made = decode_all(files, {.device = with_engines(256)});
  EXPECT_EQ(made.errors, expected.errors);
  EXPECT_EQ(made.whole.size(), 23u);
  EXPECT_GT(made.given_back, 0);
  for (const auto& [id, whole] : expected.whole) {
    const Image& here = made.whole.at(id);
    EXPECT_TRUE(here == whole || here == with_other_bits(whole)) << id;
  }
}

// Engines that refuse everything are no longer used.
TEST(JpegEnginesOfADevice, AreLeftAloneWhenTheyRefuseAll) {
  class Refusing : public JpegEngines {
   public:
    using JpegEngines::JpegEngines;
    const std::string& name() const override { return name_; }
    bool takes(std::span<const std::uint8_t>) override { return true; }
    std::unique_ptr<Batch> make_batch(Device&) override { return nullptr; }
    using JpegEngines::note;

   private:
    const std::string name_ = "refusing";
  };
  Refusing engines(2);
  for (int i = 0; i < 7; ++i) engines.note(true);
  EXPECT_TRUE(engines.enter(this));
  engines.note(false);
  for (int i = 0; i < 8; ++i) engines.note(true);
  EXPECT_FALSE(engines.enter(this));
}

// Whatever fails, freed memory is not used, no sample is lost, and slots are returned.
TEST(JpegEnginesOfADevice, OutliveFaults) {
  std::vector<File> files;
  for (std::uint64_t i = 0; i < 12; ++i) files.push_back(photo(i));
  for (std::int64_t round = 0; round < 240; round += testing::one_in(5, 17)) {
    SCOPED_TRACE(round);
    const auto fault = static_cast<HostDevice::Fault>(1 + round % 3);
    const std::int64_t which = 20 + round * 7;
    const auto device =
        with_engines(5, {.fault = [=](const HostDevice::Call& call) {
                       return call.number == which ? fault : HostDevice::Fault::none;
                     }});
    try {
      const Made made = decode_all(files, {.device = device});
      EXPECT_EQ(made.whole.size() + made.errors.size(), files.size());
    } catch (const Error&) {
      EXPECT_EQ(fault, HostDevice::Fault::lost);
    }
    EXPECT_TRUE(device->violations().empty());
    for (int place = 0; place < 5; ++place) EXPECT_TRUE(device->jpeg_engines(nullptr)->enter(this));
  }
}

// NVIDIA's engines, if there are any.
TEST(JpegEnginesOfAGpu, GiveNearlyTheSamePixels) {
  if (!on_gpu()) GTEST_SKIP() << "no GPU";
  const auto device = test_device();
  std::string why_none;
  if (device->jpeg_engines(&why_none) == nullptr) GTEST_SKIP() << why_none;
  std::vector<File> files;
  for (std::uint64_t i = 0; i < 64; ++i) files.push_back(photo(i, kSamplings[i % 3]));
  damage(files[50]);
  const Made expected = decode_all(files, {.device = nullptr});
  const Made made = decode_all(files, {.device = device});
  EXPECT_GT(made.events.at("on_engines"), 0);
  const auto difference = [](const Image& a, const Image& b) {
    double sum = 0;
    for (int y = 0; y < a.height(); ++y) {
      for (std::size_t x = 0; x < a.row_bytes(); ++x) sum += std::abs(a.row(y)[x] - b.row(y)[x]);
    }
    return sum / static_cast<double>(a.height()) / static_cast<double>(a.row_bytes());
  };
  for (const auto& [id, whole] : expected.whole) {
    ASSERT_TRUE(made.whole.count(id) == 1) << id;
    // Their upsampling differs.
    const double most = kSamplings[id % 3].across == 1 ? 1 : 16;
    EXPECT_LT(difference(made.whole.at(id), whole), most) << id;
    EXPECT_LT(difference(made.part.at(id), expected.part.at(id)), most) << id;
  }
}

}  // namespace jpeg_engines_test
}  // namespace sluice::device
