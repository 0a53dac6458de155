// Batches in a device's memory: the values equal those of .cpu(), whatever must be moved for them.
// Their memory goes back when no object and no stream uses it any more.
#include "tests/cuda/test_device.h"
#include "tests/io/images.h"
#include <sluice/cuda/host_device.h>
#include <sluice/graph/pipeline.h>
#include <sluice/io/jpeg/encode.h>
#include <sluice/ops/color.h>
#include <sluice/ops/geometry.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/random.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {
namespace outputs_test {

constexpr std::int64_t kSamples = 40;

// Images of one size, or of several.
Value<Image> drawn(Graph& g, bool ragged, const std::function<bool(std::int64_t)>& fails = {}) {
  auto index = g.source(kSamples, [](const SampleInfo& info) { return info.index_in_epoch; });
  return g.map(
      "draw",
      [ragged, fails](std::int64_t i) {
        if (fails && fails(i)) throw Error("cannot be drawn");
        const int n = ragged ? static_cast<int>(i) : 0;
        return draw_image(11 + n % 3 * 7, 13 + n % 4 * 5, 3, static_cast<std::uint64_t>(i));
      },
      index);
}

struct Taken {
  std::vector<Image> images;
  std::vector<Tensor> tensors;
  std::vector<std::string> batches;  // a description of each
};
template <class Batch>
void take(const Batch& batch, Taken& all) {
  const ImageBatch images = batch.template get<0>().to_host();
  const TensorBatch tensors = batch.template get<1>().to_host();
  std::string said = std::to_string(batch.index()) + (images.dense() ? ", dense" : ", ragged") +
                     (tensors.dense() ? ", dense" : ", ragged") + ", padding " +
                     std::to_string(batch.padding()) + ", ids";
  for (const std::int64_t id : batch.ids()) said += " " + std::to_string(id);
  said += ", missing";
  for (const std::int64_t id : batch.missing()) said += " " + std::to_string(id);
  all.batches.push_back(said);
  ASSERT_EQ(images.size(), batch.size());
  ASSERT_EQ(tensors.size(), batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    all.images.push_back(images[i].clone());
    all.tensors.push_back(tensors[i].clone());
  }
}
void expect_same(const Taken& actual, const Taken& expected) {
  EXPECT_EQ(actual.batches, expected.batches);
  ASSERT_EQ(actual.images.size(), expected.images.size());
  for (std::size_t i = 0; i < actual.images.size(); ++i) {
    EXPECT_TRUE(actual.images[i] == expected.images[i]) << "image " << i;
    EXPECT_TRUE(actual.tensors[i] == expected.tensors[i]) << "tensor " << i;
  }
}

// An image and a tensor, on the device; and the same program with .cpu() at its end, unless the
// host makes them.
using Program = std::function<std::pair<Value<Image>, Value<Tensor>>(Graph&)>;
auto describe(const Program& program, bool stays) {
  return [&program, stays](Graph& g) {
    auto [image, tensor] = program(g);
    return stays ? std::tuple{image, tensor} : std::tuple{image.cpu(), tensor.cpu()};
  };
}
Value<Tensor> tensor_of(Graph& g, const Value<Image>& image) {
  return resize_mirror_normalize(image, {.height = 7,
                                         .width = 9,
                                         .mirror = g.coin_flip(0.5f),
                                         .mean = {0.1f, 0.2f, 0.3f},
                                         .std = {0.2f, 0.2f, 0.3f},
                                         .dtype = DType::f16});
}

// No memory was used wrongly and, without users, all memory is back.
void expect_clean(const std::shared_ptr<Device>& device) {
  if (const auto* const host = dynamic_cast<const HostDevice*>(device.get())) {
    EXPECT_EQ(host->violations(), std::vector<std::string>{});
    EXPECT_EQ(host->bytes_in_use(), 0u);
    EXPECT_EQ(device.use_count(), 1);
  }
}

struct Case {
  const char* name;
  Program program;
  PipelineOptions options{};
};
// Programs whose steps run on the device or, if not `on_device`, on the host.
std::vector<Case> cases(bool on_device = true) {
  const auto every_third = [](std::int64_t i) { return i % 3 == 1; };
  const auto there = [on_device](const Value<Image>& image) {
    return on_device ? image.gpu() : image;
  };
  const auto simple = [there](bool ragged, const std::function<bool(std::int64_t)>& fails = {}) {
    return [ragged, fails, there](Graph& g) {
      auto image = flip(there(drawn(g, ragged, fails)));
      return std::pair{image, tensor_of(g, image)};
    };
  };
  return {
      {"dense", simple(false)},
      {"ragged", simple(true)},
      {"many samples ahead", simple(false), {.prefetch = 6}},
      {"no batch ahead", simple(false), {.prefetch = 0}},
      {"the last one filled up", simple(false), {.last_batch = LastBatch::fill}},
      {"the last one filled up, ragged", simple(true), {.last_batch = LastBatch::fill}},
      {"the last one left out", simple(false), {.last_batch = LastBatch::drop}},
      {"holes", simple(false, every_third), {.on_error = OnError::skip}},
      {"holes, ragged", simple(true, every_third), {.on_error = OnError::skip}},
      {"stand-ins", simple(false, every_third), {.on_error = OnError::replace}},
      {"holes and filled up",
       simple(false, every_third),
       {.last_batch = LastBatch::fill, .on_error = OnError::skip}},
      {"compacted", simple(false, every_third), {.compact = true, .on_error = OnError::skip}},
      {"compacted, ragged",
       simple(true, every_third),
       {.compact = true, .on_error = OnError::skip}},
      {"compacted and filled up",
       simple(false, every_third),
       {.last_batch = LastBatch::fill, .compact = true, .on_error = OnError::skip}},
      {"filtered on the way",
       [there](Graph& g) {
         auto image = drawn(g, false);
         auto gone = g.map(
             "gone", [](const Image& in) { return in.at(0, 0, 0) % 2 == 0; }, image);
         g.filter(gone);
         auto inverted = invert(there(image));
         return std::pair{inverted, tensor_of(g, inverted)};
       }},
      {"of a choice",
       [there](Graph& g) {
         auto image = there(drawn(g, false));
         auto one = g.if_else(
             g.coin_flip(0.5f), [&] { return invert(image); }, [&] { return image; });
         return std::pair{one, tensor_of(g, image)};
       }},
      {"of a loop",
       [there](Graph& g) {
         auto image = there(drawn(g, false));
         auto turned = g.for_loop(
             g.random("n", [](Random& r) { return r.below(4); }), image,
             [&](Value<std::int64_t>, Value<Image> state) { return rotate(state, 180.f); });
         return std::pair{turned, tensor_of(g, turned)};
       }},
  };
}

// Runs two epochs of the case on the device. `place`: where its batches lie, in the memory of the
// host or of `device`.
Taken run_case(const Case& c, int threads, const std::shared_ptr<Device>& device, bool stays,
               bool delivers, MemoryKind place) {
  Taken all;
  PipelineOptions options = c.options;
  options.batch_size = 7;
  options.seed = 5;
  options.threads = threads;
  options.device = device;
  options.deliver_on_device = delivers;
  auto pipeline = make_pipeline(options, describe(c.program, stays));
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (const auto& batch : pipeline.epoch()) {
      const MemoryPlace wanted{place, place == MemoryKind::host ? 0 : device->index()};
      EXPECT_EQ(batch.template get<0>().place(), wanted);
      EXPECT_EQ(batch.template get<1>().place(), wanted);
      take(batch, all);
    }
  }
  return all;
}

TEST(DeviceOutputs, AreWhatCpuOutputsAre) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    for (const int threads : {1, 3}) {
      const std::shared_ptr<Device> device = test_device();
      const Taken on_host = run_case(c, threads, device, false, false, MemoryKind::pinned);
      expect_same(run_case(c, threads, device, true, false, MemoryKind::device), on_host);
      // deliver_on_device brings the results of .cpu() back, and leaves the others where they are.
      expect_same(run_case(c, threads, device, false, true, MemoryKind::device), on_host);
      expect_same(run_case(c, threads, device, true, true, MemoryKind::device), on_host);
      expect_clean(device);
    }
  }
}

TEST(DeliveredOnDevice, AreWhatTheHostMakes) {
  for (const Case& c : cases(false)) {
    SCOPED_TRACE(c.name);
    for (const int threads : {1, 3}) {
      const std::shared_ptr<Device> device = test_device();
      const Taken on_host = run_case(c, threads, nullptr, true, false, MemoryKind::host);
      expect_same(run_case(c, threads, device, true, true, MemoryKind::device), on_host);
      expect_clean(device);
    }
  }
}

// One value as two outputs, always or on some paths: each output has memory of its own.
TEST(DeviceOutputs, AValueMayBeDeliveredTwice) {
  for (const bool ragged : {false, true}) {
    const auto run = [&](bool stays) {
      const std::shared_ptr<Device> device = test_device();
      std::vector<Image> all;
      {
        auto pipeline = make_pipeline(
            {.batch_size = 6, .seed = 2, .threads = 2, .device = device}, [&](Graph& g) {
              auto image = flip(drawn(g, ragged).gpu());
              auto other = g.if_else(
                  g.coin_flip(0.5f), [&] { return image; }, [&] { return invert(image); });
              return stays ? std::tuple{image, other, image}
                           : std::tuple{image.cpu(), other.cpu(), image.cpu()};
            });
        for (const auto& [first, second, third] : pipeline.epoch()) {
          for (std::size_t i = 0; i < first.size(); ++i) {
            EXPECT_NE(first[i].data(), third[i].data());
            EXPECT_NE(first[i].data(), second[i].data());
          }
          for (const ImageBatch* column : {&first, &second, &third}) {
            const ImageBatch here = column->to_host();
            for (const Image& image : here) all.push_back(image.clone());
          }
        }
      }
      expect_clean(device);
      return all;
    };
    const std::vector<Image> actual = run(true), expected = run(false);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_TRUE(actual[i] == expected[i]) << i;
  }
}

TEST(DeviceOutputs, OutliveThePipelineAndTheDevice) {
  const Program program = cases().front().program;
  Taken expected, actual;
  std::vector<Batch<Image, Tensor>> kept;
  std::weak_ptr<Device> watched;
  {
    const std::shared_ptr<Device> device = test_device();
    watched = device;
    const PipelineOptions options{.batch_size = 7, .seed = 5, .threads = 2, .device = device};
    auto on_host = make_pipeline(options, describe(program, false));
    for (const auto& batch : on_host.epoch()) take(batch, expected);
    auto pipeline = make_pipeline(options, describe(program, true));
    for (auto& batch : pipeline.epoch()) kept.push_back(std::move(batch));
  }
  for (const auto& batch : kept) take(batch, actual);
  expect_same(actual, expected);
  // One tensor is enough.
  Tensor last = kept.back().get<1>().tensor(1);
  kept.clear();
  EXPECT_FALSE(watched.expired());
  EXPECT_TRUE(last.to_host() == expected.tensors.at(36)) << "of the last batch, the second";
  last.release();
  EXPECT_TRUE(on_gpu() || watched.expired());
}

TEST(DeviceOutputs, AreNotReadByTheHost) {
  const std::shared_ptr<Device> device = test_device();
  const Program program = cases().front().program;
  auto pipeline =
      make_pipeline({.batch_size = 4, .threads = 1, .device = device}, describe(program, true));
  auto batch = pipeline.epoch().next();
  ASSERT_TRUE(batch);
  const Image image = batch->get<0>().image(1);
  const Tensor tensor = batch->get<1>().tensor(1);
  const Image part = image.crop_view(1, 1, 4, 4);
  const std::function<void()> reads[] = {
      [&] { (void)image.at(0, 0, 0); },
      [&] { (void)image.clone(); },
      [&] { (void)(image == image); },
      [&] { (void)part.at(0, 0, 0); },
      [&] { (void)part.clone(); },
      [&] { (void)encode_jpeg(image); },
      [&] { (void)tensor.clone(); },
      [&] { (void)(tensor == tensor); },
      [&] { (void)batch->get<0>()[0].at(0, 0, 0); },
      [&] { (void)batch->get<1>()[0].clone(); },
  };
  for (const auto& read : reads) {
    try {
      read();
      ADD_FAILURE();
    } catch (const std::logic_error& error) {
      EXPECT_NE(std::string(error.what()).find("to_host()"), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(image.to_host() == batch->get<0>().to_host()[1]);
  EXPECT_TRUE(tensor.to_host() == batch->get<1>().to_host()[1]);
  EXPECT_TRUE(image.to_host().place().on_host());
}

// A device that records the targets of its copies.
class Watched : public Device {
 public:
  const std::string& name() const override { return device_->name(); }
  int index() const override { return device_->index(); }
  std::unique_ptr<DeviceStream> make_stream() override {
    return std::make_unique<Stream>(*this, device_->make_stream());
  }
  std::unique_ptr<DeviceEvent> make_event() override { return device_->make_event(); }
  const std::shared_ptr<MemoryResource>& memory() override { return device_->memory(); }
  const std::shared_ptr<MemoryResource>& pinned() override { return device_->pinned(); }
  bool has_copied_to(const void* at) const {
    const std::lock_guard lock(mutex_);
    return targets_.count(at) > 0;
  }

 private:
  class Stream : public DeviceStream {
   public:
    Stream(Watched& of, std::unique_ptr<DeviceStream> stream)
        : of_(of), stream_(std::move(stream)) {}
    void copy(void* to, const void* from, std::size_t bytes) override {
      {
        const std::lock_guard lock(of_.mutex_);
        of_.targets_.insert(to);
      }
      stream_->copy(to, from, bytes);
    }
    void fill(void* at, unsigned char value, std::size_t bytes) override {
      stream_->fill(at, value, bytes);
    }
    void launch(const Kernel& kernel, std::span<const std::byte> arguments) override {
      stream_->launch(kernel, arguments);
    }
    void record(DeviceEvent& event) override { stream_->record(event); }
    void wait(DeviceEvent& event) override { stream_->wait(event); }

   private:
    Watched& of_;
    const std::unique_ptr<DeviceStream> stream_;
  };

  const std::shared_ptr<Device> device_ = test_device();
  mutable std::mutex mutex_;
  std::set<const void*> targets_;
};

// The device writes results for the host straight into the batch, if possible.
TEST(DeviceOutputs, OfTheHostAreWrittenByTheDevice) {
  std::vector<std::byte> ours(std::size_t{5} << 20);
  std::vector<void*> buffers;
  for (std::size_t i = 0; i < 4; ++i)
    buffers.push_back(reinterpret_cast<void*>(
        (reinterpret_cast<std::uintptr_t>(ours.data()) + (i << 20) + 63) / 64 * 64));
  for (const std::optional<MemoryKind> given :
       {std::optional<MemoryKind>(), std::optional(MemoryKind::pinned),
        std::optional(MemoryKind::host)}) {
    // On the stand-in, all host memory is as good as pinned: the rings are tried only there.
    if (given && on_gpu()) continue;
    const auto device = std::make_shared<Watched>();
    PipelineOptions options{.batch_size = 8, .threads = 2, .device = device};
    if (given) {
      options.output_memory = {
          std::make_shared<BufferRing>(buffers, std::size_t{1} << 20, MemoryPlace{*given, 0})};
    }
    auto pipeline =
        make_pipeline(options, [&](Graph& g) { return flip(drawn(g, false).gpu()).cpu(); });
    for (int epoch = 0; epoch < 3; ++epoch) {
      for (const auto& batch : pipeline.epoch()) {
        const ImageBatch& images = batch.get<0>();
        EXPECT_EQ(images.place().kind, given.value_or(MemoryKind::pinned));
        if (epoch == 0) continue;  // the first ones are moved together
        for (const Image& image : images)
          EXPECT_EQ(device->has_copied_to(image.data()), given != MemoryKind::host);
      }
    }
  }
}

TEST(DeviceOutputs, AreInspectedAsCopies) {
  PipelineOptions options{.batch_size = 4, .seed = 8, .threads = 1};
  options.device = test_device();
  const Program program = [](Graph& g) {
    auto image = flip(drawn(g, true).gpu());
    return std::pair{image, tensor_of(g, image)};
  };
  auto pipeline = make_pipeline(options, describe(program, true));
  auto other = make_pipeline(options, describe(program, false));
  const Inspection there = pipeline.inspect(3), here = other.inspect(3);
  const Image& image = there.get<Image>("flip");
  EXPECT_TRUE(image == here.get<Image>("cpu"));
  EXPECT_EQ(&image, &there.get<Image>("flip"));
  EXPECT_EQ(there.get<Tensor>("resize_mirror_normalize").dtype(), DType::f16);
  EXPECT_TRUE(there.get<Image>("draw") == here.get<Image>("draw"));
}

}  // namespace outputs_test
}  // namespace sluice::device
