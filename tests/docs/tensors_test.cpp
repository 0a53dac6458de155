// The fragments of docs/tensors.md. Of other libraries there is only as much as they show.
#include "setup.h"
#include "tests/runtime/published_dlpack.h"

#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

// What stands here for LibTorch: a tensor that owns what it was given.
namespace at {
class Tensor {
 public:
  explicit Tensor(DLManagedTensor* managed)
      : managed_(managed, [](DLManagedTensor* own) { own->deleter(own); }) {}
  Tensor permute(std::initializer_list<int>) const { return *this; }
  const DLTensor& get() const { return managed_->dl_tensor; }
  std::shared_ptr<DLManagedTensor> managed_;
};
Tensor fromDLPack(DLManagedTensor* managed) { return Tensor(managed); }

struct Own {
  DLManagedTensor managed{};
  Tensor tensor;
};
DLManagedTensor* toDLPack(const Tensor& tensor) {
  auto* const own = new Own{{}, tensor};
  own->managed.dl_tensor = tensor.get();
  own->managed.manager_ctx = own;
  own->managed.deleter = [](DLManagedTensor* self) { delete static_cast<Own*>(self->manager_ctx); };
  return &own->managed;
}
}  // namespace at

// And for ONNX Runtime.
namespace Ort {
struct Value {
  template <class T>
  static Value CreateTensor(int, T* data, size_t count, const int64_t* shape, size_t rank) {
    return {data, count, std::vector<int64_t>(shape, shape + rank)};
  }
  const void* data;
  size_t count;
  std::vector<int64_t> shape;
};
}  // namespace Ort

namespace sluice::docs {
namespace tensors_test {

auto small_images(const PipelineOptions& options) {
  return make_pipeline(options, [](Graph& g) {
    auto i = indices(g);
    return std::tuple{resize(g.map("image", image_of, i), {.height = 8, .width = 8}), i};
  });
}

[[maybe_unused]] Value<Tensor> sixteen_bits(Graph& g, Value<Bytes> file) {
  // clang-format off
    auto tensor = decode_tensor(file);                        // u16 for a file of 16 bits
    auto region = random_region(decode_image(file));          // reads only the size of the image
    tensor = resize(crop(tensor, region), {.height = 224, .width = 224});
    tensor = rotate(tensor, g.uniform(-10.f, 10.f), {.keep_size = true});
    tensor = flip(tensor, {.horizontal = g.coin_flip(0.5f)});
    return normalize(tensor, {.mean = {0.2f}, .std = {0.1f}});
  // clang-format on
}

TEST(Tensors, AnImageIsOne) {
  Image image = image_of(3);
  const std::uint8_t* const pixels = image.data();
  Tensor tensor = std::move(image).tensor();  // or image.tensor(), to look at
  Image again(std::move(tensor));             // u8, (height, width, channels) or (height, width)
  EXPECT_EQ(again.data(), pixels);
}

TEST(Tensors, BatchesTellAndLast) {
  std::size_t bytes = 0;
  const auto give = [&](const void* data, std::size_t n, DType type, const Shape& shape,
                        const Strides& strides) {
    bytes += n;
    EXPECT_NE(data, nullptr);
    EXPECT_EQ(type, DType::u8);
    EXPECT_EQ(shape[1], 8);
    EXPECT_EQ(strides[3], 1);
  };
  {
    auto pipeline = small_images({.batch_size = 8});
    for (const auto& [images, labels] : pipeline.epoch()) {
      if (images.dense()) {
        give(images.data(), images.nbytes(), images.dtype(), images.shape(), images.strides());
      }
    }
  }
  EXPECT_EQ(bytes, 24u * 8 * 8 * 3);
  auto pipeline = small_images({.batch_size = 8});
  auto batch = pipeline.epoch().next();
  const ImageBatch& images = batch->get<0>();
  ImageBatch kept = images;         // the column
  Tensor all = images.tensor();     // its block: samples first
  Tensor third = images.tensor(2);  // one sample, also of a ragged batch
  Image image = images.image(2);
  batch.reset();
  EXPECT_EQ(image.data(), third.data<std::uint8_t>());
  EXPECT_TRUE(kept[2] == image);
  EXPECT_EQ(image.at(0, 0, 0), 20);
}

TEST(Tensors, GoToOthersAndComeFromThem) {
  std::vector<at::Tensor> seen, labels_seen;
  const auto step = [&](const at::Tensor& pixels, const at::Tensor& targets) {
    seen.push_back(pixels);
    labels_seen.push_back(targets);
  };
  {
    auto pipeline = small_images({.batch_size = 8});
    for (const auto& [images, labels] : pipeline.epoch()) {
      auto pixels = at::fromDLPack(to_dlpack(images.tensor()));
      auto targets = at::fromDLPack(to_dlpack(labels.tensor()));
      step(pixels.permute({0, 3, 1, 2}), targets);
    }
  }
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[1].get().shape[0], 8);
  EXPECT_EQ(*static_cast<std::uint8_t*>(seen[1].get().data), 80);
  EXPECT_EQ(labels_seen[2].get().ndim, 1);
  EXPECT_EQ(static_cast<std::int64_t*>(labels_seen[2].get().data)[7], 23);
  labels_seen.clear();
  seen.clear();

  struct Model {
    at::Tensor forward(const Image& image) const {
      Tensor mean({1}, DType::f32);
      mean.data<float>()[0] = mean_level(image);
      return at::fromDLPack(to_dlpack(std::move(mean)));
    }
  };
  const auto model = std::make_shared<const Model>();
  auto pipeline = make_pipeline({.batch_size = 8}, [&](Graph& g) {
    auto image = g.map("image", image_of, indices(g));
    auto embedded = g.map(
        "embed", [=](const Image& in) { return from_dlpack(at::toDLPack(model->forward(in))); },
        image);
    return embedded;
  });
  for (const auto& [tensors] : pipeline.epoch()) {
    const int memory_info = 0;
    struct Session {
      void Run(const Ort::Value& value) const { EXPECT_EQ(value.shape.size(), 2u); }
    } session;
    Tensor input = tensors.tensor();
    auto value = Ort::Value::CreateTensor<float>(
        memory_info, input.data<float>(), static_cast<size_t>(input.elements()),
        input.shape().dims.data(), static_cast<size_t>(input.shape().rank));
    session.Run(value);  // `input` lives until here
    EXPECT_EQ(value.count, 8u);
    EXPECT_NEAR(input.data<float>()[1] - input.data<float>()[0], 10.f, 0.01f);
  }
}

void* allocate_pinned(std::size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
void free_pinned(void* at) { std::free(at); }

struct PinnedMemory : MemoryResource {
  PinnedMemory() : MemoryResource({MemoryKind::pinned, 0}) {}
  void* allocate(std::size_t bytes, std::size_t) override { return allocate_pinned(bytes); }
  void deallocate(void* at, std::size_t, std::size_t) noexcept override { free_pinned(at); }
};

TEST(Tensors, LieInMemoryThatIsGiven) {
  constexpr std::size_t kCount = 4;
  const std::size_t bytes_of_a_batch = 64 * 8 * 8 * 3;
  std::vector<void*> buffers;
  for (std::size_t i = 0; i < kCount; ++i) buffers.push_back(allocate_pinned(bytes_of_a_batch));
  {
    auto ring = std::make_shared<BufferRing>(buffers, bytes_of_a_batch);
    const PipelineOptions options{.batch_size = 64, .output_memory = {ring}};
    auto pipeline = small_images(options);
    const auto batch = pipeline.epoch().next();
    EXPECT_EQ(ring->free(), 3u);
    EXPECT_EQ(batch->get<0>().data(), buffers[0]);
  }
  for (void* const buffer : buffers) free_pinned(buffer);
  auto pipeline =
      small_images({.batch_size = 8, .output_memory = {std::make_shared<PinnedMemory>()}});
  for (const auto& [images, labels] : pipeline.epoch())
    EXPECT_EQ(images.place().kind, MemoryKind::pinned);
}

}  // namespace tensors_test
}  // namespace sluice::docs
