// Devices that fail: whatever they refuse, break or lose, each run ends, each sample is accounted
// for, and delivered samples are right.
#include "tests/cuda/jpeg/damaged_file.h"
#include "tests/cuda/jpeg/test_files.h"
#include "tests/io/images.h"
#include "tests/tried.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/decode.h>
#include <sluice/io/jpeg/index.h>
#include <sluice/ops/color.h>
#include <sluice/ops/decode.h>
#include <sluice/ops/geometry.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/random.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace pipeline_fault_test {

using Fault = HostDevice::Fault;

constexpr std::int64_t kSamples = 30;

// Files with a damaged scan, and an index with the entries of the sound ones.
std::vector<Bytes> damaged_files(std::uint64_t count) {
  const auto index = JpegIndex::in_memory();
  std::vector<Bytes> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random({.seed = i});
    File file = encode_test_jpeg(kSamplings[i % 5], 50 + static_cast<int>(i), 70, 80,
                                 static_cast<int>(i % 3) * 3, i, i % 2 == 0);
    const auto flips = static_cast<int>(random.below(4));  // none: sound after all
    all.push_back(damaged_file(std::move(file), flips, random, index));
  }
  return all;
}

// Returns one of the files: a view, which outlives it, for the host to copy; or a copy, which the
// device fetches.
Bytes again(const Bytes& file, bool copied) {
  Bytes bytes = copied ? Bytes::copy_of(file) : Bytes::view_of(file);
  bytes.set_index({std::shared_ptr<void>(), file.index()});
  return bytes;
}
const std::vector<Bytes>& files() {
  static const std::vector<Bytes> all = damaged_files(12);
  return all;
}

template <class T>
Value<T> there(Value<T> value, bool moves) {
  return moves ? value.gpu() : value;
}
Value<Image> here(Value<Image> image, bool moves) { return moves ? image.cpu() : image; }

// A chain with a branch and a loop on the device, and files that it decodes or gives back.
Value<Image> describe(Graph& g, bool decodes, bool moves) {
  auto index = g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
  Value<Image> image = [&] {
    if (decodes) {
      auto file = g.map(
          "file",
          [](std::int64_t i) {
            return again(files()[static_cast<std::size_t>(i) % files().size()], i % 3 != 0);
          },
          index);
      return resize(decode_jpeg(there(file, moves), {.damage = DamagePolicy::tolerant}),
                    {.height = 30, .width = 40});
    }
    return there(g.map(
                     "draw",
                     [](std::int64_t i) {
                       return draw_image(10 + static_cast<int>(i), 20, 3,
                                         static_cast<std::uint64_t>(i));
                     },
                     index),
                 moves);
  }();
  // Not drawn: the same in each epoch, and for replacement samples.
  auto turns = g.map(
      "turns", [](std::int64_t i) { return i % 3 == 1; }, index);
  image = g.if_else(
      turns, [&] { return rotate(flip(image), 20.f); },
      [&] {
        return g.for_loop(2, image, [](Value<std::int64_t>, Value<Image> state) {
          return brightness_contrast(state, {.brightness = 1.1f});
        });
      });
  return here(invert(image), moves);
}

// Returns the host's result for each sample, which the device must reproduce.
std::vector<Image> on_host(bool decodes) {
  std::vector<Image> all;
  auto pipeline = make_pipeline({.batch_size = 5, .threads = 1},
                                [&](Graph& g) { return describe(g, decodes, false); });
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) all.push_back(batch.get<0>()[i].clone());
  }
  return all;
}

// One run: how often the device fails, and when the run is cancelled.
struct Plan {
  explicit Plan(std::uint64_t seed) : random({.seed = seed}) {
    constexpr float kRates[] = {0.f, 0.002f, 0.01f, 0.05f, 0.3f};
    rate = kRates[random.below(5)];
    loses = random.below(4) == 0;
    if (random.below(4) == 0) stop_after = static_cast<int>(random.below(5));
    decodes = random.below(2) == 0;
    threads = random.below(2) == 0 ? 1 : 3;
    batch_size = 1 + static_cast<int>(random.below(8));
    replaces = random.below(4) == 0;
    short_of_memory = random.below(8) == 0;
    twice = random.below(4) == 0;
  }
  // The device calls this, one call at a time.
  Fault fault(const HostDevice::Call& call) {
    if (random.unit() >= rate) return Fault::none;
    faults.fetch_add(1);
    if (loses && random.below(4) == 0) {
      // After a failed device batch, the pipeline checks only whether it is over.
      (std::string(call.what) == "record" ? lost_at_record : lost_at_work) = true;
      return Fault::lost;
    }
    return random.below(2) == 0 ? Fault::refused : Fault::failed;
  }

  Random random;  // the device's
  float rate = 0;
  bool loses = false, decodes = false, replaces = false, short_of_memory = false, twice = false;
  std::optional<int> stop_after;  // batches
  int threads = 1, batch_size = 1;
  std::atomic<int> faults{0};
  std::atomic<bool> lost_at_record{false}, lost_at_work{false};
};

struct Tally {
  std::int64_t runs = 0, delivered = 0, failed = 0, lost = 0, stopped = 0;
};

bool names_a_step(const SampleError& error) {
  for (const char* step :
       {"gpu", "decode_jpeg", "resize", "flip", "rotate", "brightness_contrast", "invert", "cpu"}) {
    if (error.step.rfind(step, 0) == 0) return true;
  }
  return false;
}

// The batches of an epoch, as far as the run goes.
template <class Pipeline>
void take(Pipeline& pipeline, const Plan& plan, const std::vector<Image>& expected, Tally& tally) {
  int batches = 0;
  std::int64_t accounted = 0;
  try {
    for (const auto& batch : pipeline.epoch()) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const auto key = static_cast<std::size_t>(batch.keys()[i].index);
        EXPECT_TRUE(batch.template get<0>()[i] == expected.at(key)) << "sample " << key;
      }
      EXPECT_EQ(batch.errors().size(), batch.missing().size() + batch.replaced().size());
      for (const SampleError& error : batch.errors())
        EXPECT_TRUE(names_a_step(error) && !error.what.empty()) << to_string(error);
      accounted += static_cast<std::int64_t>(batch.size() + batch.missing().size());
      tally.delivered += static_cast<std::int64_t>(batch.size());
      tally.failed += static_cast<std::int64_t>(batch.errors().size());
      if (plan.stop_after && batches++ == *plan.stop_after) {
        ++tally.stopped;
        return;
      }
    }
    EXPECT_EQ(accounted, kSamples);
    EXPECT_FALSE(plan.lost_at_work);
  } catch (const DeviceError& error) {
    EXPECT_TRUE(error.device_lost()) << error.what();
    EXPECT_TRUE(std::string(error.what()).find("is lost") != std::string::npos) << error.what();
    EXPECT_TRUE(plan.lost_at_work || plan.lost_at_record) << error.what();
    ++tally.lost;
  } catch (const BatchError& error) {  // no replacement sample was left
    EXPECT_TRUE(plan.replaces) << error.what();
    return;
  }
  const Ledger ledger = pipeline.stats().epoch;
  EXPECT_TRUE(ledger.balanced()) << to_string(ledger);
  if (plan.faults == 0 && !plan.short_of_memory) {
    EXPECT_EQ(ledger.delivered, ledger.admitted);
  }
}

void run(Plan& plan, const std::vector<Image>& expected, Tally& tally) {
  HostDevice::Options how;
  how.bytes = plan.short_of_memory ? std::size_t{5} << 20 : std::size_t{1} << 26;
  how.fault = [&plan](const HostDevice::Call& call) { return plan.fault(call); };
  auto device = std::make_shared<HostDevice>(std::move(how));
  {
    PipelineOptions options{.batch_size = plan.batch_size, .threads = plan.threads};
    options.on_error = plan.replaces ? OnError::replace : OnError::skip;
    options.device = device;
    auto pipeline =
        make_pipeline(options, [&](Graph& g) { return describe(g, plan.decodes, true); });
    take(pipeline, plan, expected, tally);
    // Failures in one epoch do not affect the next.
    if (plan.twice) take(pipeline, plan, expected, tally);
  }
  // A lost device may keep queued work, because nothing waits for it any more.
  if (!plan.lost_at_work && !plan.lost_at_record) {
    EXPECT_EQ(device->pending(), 0u);
  }
  EXPECT_EQ(device->bytes_in_use(), 0u);
  const std::vector<std::string> violations = device->violations();
  EXPECT_TRUE(violations.empty()) << violations.size() << ", the first: " << violations.front();
  EXPECT_EQ(device.use_count(), 1);
  ++tally.runs;
}

TEST(DeviceFaults, EachRunEndsAndAccountsForItsSamples) {
  const char* const wish = std::getenv("SLUICE_DEVICE_FAULTS");
  const std::uint64_t runs = wish != nullptr ? std::strtoull(wish, nullptr, 10) : 30;
  const char* const from = std::getenv("SLUICE_DEVICE_FAULTS_FROM");
  const std::uint64_t first = from != nullptr ? std::strtoull(from, nullptr, 10) : 0;
  const std::vector<Image> drawn = on_host(false), decoded = on_host(true);
  ASSERT_EQ(drawn.size(), static_cast<std::size_t>(kSamples));
  ASSERT_EQ(decoded.size(), static_cast<std::size_t>(kSamples));
  Tally tally;
  for (std::uint64_t seed = first; seed < first + runs && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Plan plan(seed);
    testing::tried("gpu-faults");
    run(plan, plan.decodes ? decoded : drawn, tally);
  }
  if (runs < 100) return;
  EXPECT_GT(tally.delivered, tally.failed);
  EXPECT_GT(tally.failed, 0);
  EXPECT_GT(tally.lost, 0);
  EXPECT_GT(tally.stopped, 0);
  RecordProperty("tally", std::to_string(tally.delivered) + " delivered, " +
                              std::to_string(tally.failed) + " failed");
}

// A device that is blocked while nearly all of a large window arrives.
TEST(DeviceWindow, AnyNumberOfSamplesMayWaitForTheDevice) {
  constexpr std::int64_t kMany = 3000, kArrived = 2500;
  std::atomic<std::int64_t> drawn{0};
  HostDevice::Options how;
  how.before = [&](const HostDevice::Call&) {
    for (std::int64_t seen = drawn; seen < kArrived; seen = drawn) drawn.wait(seen);
  };
  PipelineOptions options{.batch_size = kMany, .threads = 2, .prefetch = 0};
  options.device = std::make_shared<HostDevice>(std::move(how));
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto image = g.map(
        "draw",
        [&](std::int64_t i) {
          Image out = filled(1, 2, 1, static_cast<std::uint8_t>(i));
          drawn.fetch_add(1);
          drawn.notify_all();
          return out;
        },
        g.source(kMany, [](const SampleInfo& info) { return info.index_in_epoch; }));
    return invert(image.gpu()).cpu();
  });
  std::int64_t id = 0;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i, ++id)
      EXPECT_EQ(batch.get<0>()[i].data()[0], 255 - static_cast<std::uint8_t>(id));
  }
  EXPECT_EQ(id, kMany);
}

struct Decoded {
  std::vector<std::string> said;  // errors and warnings
  std::vector<std::int64_t> ids;
  std::vector<Image> images, regions;
  std::int64_t on_device = 0, on_host = 0;  // by the events
  std::int64_t given_back = 0;
};

// Decodes each file twice: the device may give back a sample for both, or for one of them.
Decoded decode_all(const std::vector<Bytes>& all, DamagePolicy damage, bool moves) {
  PipelineOptions options{.batch_size = 16, .threads = 2};
  options.on_error = OnError::skip;
  options.profile = true;
  if (moves) options.device = std::make_shared<HostDevice>();
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto file = there(g.source(static_cast<std::int64_t>(all.size()),
                               [&all](const SampleInfo& info) {
                                 const Bytes& from =
                                     all[static_cast<std::size_t>(info.index_in_epoch)];
                                 Bytes view = Bytes::view_of(from);
                                 view.set_index({std::shared_ptr<void>(), from.index()});
                                 return view;
                               }),
                      moves);
    const JpegOptions how{.damage = damage};
    auto region = decode_jpeg(file, random_region(file), how);
    auto whole = flip(decode_jpeg(file, how));
    return std::tuple{here(whole, moves), here(region, moves)};
  });
  Decoded decoded;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      decoded.ids.push_back(batch.ids()[i]);
      decoded.images.push_back(batch.get<0>()[i].clone());
      decoded.regions.push_back(batch.get<1>()[i].clone());
    }
    for (const SampleError& error : batch.errors()) decoded.said.push_back(to_string(error));
    for (const SampleError& error : batch.warnings()) decoded.said.push_back(to_string(error));
  }
  const Stats stats = pipeline.stats();
  for (const EventStats& event : stats.events) {
    if (event.name == "index_damaged") continue;
    (event.name == "on_device" ? decoded.on_device : decoded.on_host) += event.count;
  }
  decoded.given_back = stats.device.given_back;
  return decoded;
}

TEST(DeviceDamage, FilesThatAreNotWhatTheIndexSaysDecodeAsOnTheHost) {
  const std::vector<Bytes> all = damaged_files(60);
  for (const DamagePolicy damage : {DamagePolicy::strict, DamagePolicy::tolerant}) {
    SCOPED_TRACE(name_of(damage));
    const Decoded expected = decode_all(all, damage, false);
    const Decoded actual = decode_all(all, damage, true);
    EXPECT_GT(actual.on_device, 0);
    EXPECT_GT(actual.given_back, 0);
    if (damage == DamagePolicy::tolerant) {  // a file with an error was not decoded
      const auto errors = static_cast<std::int64_t>(all.size() - actual.ids.size());
      EXPECT_EQ(actual.on_host, actual.given_back - errors);
      EXPECT_EQ(actual.on_device + actual.on_host, expected.on_host);
    }
    EXPECT_EQ(actual.said, expected.said);
    ASSERT_EQ(actual.ids, expected.ids);
    for (std::size_t i = 0; i < actual.ids.size(); ++i) {
      EXPECT_TRUE(actual.images[i] == expected.images[i]) << "file " << actual.ids[i];
      EXPECT_TRUE(actual.regions[i] == expected.regions[i]) << "file " << actual.ids[i];
    }
  }
}

}  // namespace pipeline_fault_test
}  // namespace sluice::device
