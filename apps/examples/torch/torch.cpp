// Batches as tensors of LibTorch's, without a copy. On a GPU where LibTorch and Sluice both see
// one: there the pixels never come to the host, LibTorch works in its own stream, and neither it
// nor the pipeline waits for the other. On the host elsewhere. Argument: a folder of JPEG files.
#include <sluice/sluice.h>

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/DLConvertor.h>
#include <torch/version.h>
#ifdef EXAMPLE_TORCH_CUDA
#include <c10/cuda/CUDAStream.h>
#endif

using namespace sluice;

namespace {

// LibTorch frees the memory, which the pipeline uses again when the work is over that is in
// LibTorch's stream then.
at::Tensor to_torch(Tensor tensor) {
#ifdef EXAMPLE_TORCH_CUDA
  if (tensor.place().kind == MemoryKind::device) {
    auto stream = reinterpret_cast<std::intptr_t>(c10::cuda::getCurrentCUDAStream().stream());
    return at::fromDLPack(to_dlpack(std::move(tensor), stream == 0 ? 1 : stream));
  }
#endif
  return at::fromDLPack(to_dlpack(std::move(tensor)));
}

}  // namespace

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  const bool on_gpu = at::hasCUDA() && !look_for_gpus().gpus.empty();
  const PipelineOptions options{
      .batch_size = 32, .seed = 42, .device = on_gpu ? gpu(0) : nullptr, .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    auto image = decode_jpeg(on_gpu ? jpeg.gpu() : jpeg);
    auto tensor = resize_mirror_normalize(image, {.height = 224,
                                                  .width = 224,
                                                  .mirror = g.coin_flip(),
                                                  .mean = kImageNetMean,
                                                  .std = kImageNetStd});
    return std::tuple{tensor, label};
  });

  const at::Tensor filters = at::randn({8, 3, 7, 7}, on_gpu ? at::kCUDA : at::kCPU);
  std::vector<at::Tensor> features;
  std::vector<at::Tensor> targets;
  bool copied = false;
  for (const auto& [tensors, labels] : pipeline.epoch()) {
    const at::Tensor pixels = to_torch(tensors.tensor());
    features.push_back(at::conv2d(pixels, filters, {}, 4).relu().mean({2, 3}));
    targets.push_back(to_torch(labels.tensor()));
    copied = copied || pixels.data_ptr() != tensors.data();
  }
  if (features.empty()) return 0;
  const at::Tensor all = at::cat(features).cpu();  // the first time that the host waits for a GPU
  std::printf("%lld images and %lld labels, %s: %lld features of each\n",
              static_cast<long long>(all.size(0)), static_cast<long long>(at::cat(targets).size(0)),
              copied ? "copied" : "not copied", static_cast<long long>(all.size(1)));
  std::printf("LibTorch %s, on %s\n", TORCH_VERSION, filters.device().str().c_str());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
