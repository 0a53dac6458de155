// A consumer on the GPU: batches stay in the GPU's memory, and a kernel of the program reads them
// on its own stream. Neither the stream nor the program waits for the other.
//
// nvcc reads the headers twice, for the host and for the GPU. So this file includes only those that
// it needs, and not sluice.h.
#include <sluice/cuda/gpu.h>
#include <sluice/graph/pipeline.h>
#include <sluice/ops/normalize.h>
#include <sluice/runtime/image.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace sluice;

namespace {

// The sum of each image's elements. One block for each.
__global__ void sum(const float* all, std::size_t each, float* sums) {
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  const float* const one = all + blockIdx.x * each;
  float mine = 0;
  for (std::size_t i = threadIdx.x; i < each; i += blockDim.x) mine += one[i];
  atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

Image draw(std::int64_t i) {
  Image image(90, 120, 3);
  std::memset(image.data(), static_cast<int>(i), 90 * image.row_bytes());
  return image;
}

}  // namespace

int main() {
  if (look_for_gpus().gpus.empty()) {
    std::puts("no GPU here");
    return 0;
  }
  const PipelineOptions options{.batch_size = 16, .seed = 42, .device = gpu(0)};
  auto pipeline = make_pipeline(options, [](Graph& g) {
    auto number = g.source(64, [](const SampleInfo& info) { return info.index; });
    auto image = g.map("draw", draw, number).gpu();
    return resize_mirror_normalize(image, {.height = 64, .width = 64});
  });

  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  float* sums = nullptr;
  cudaMalloc(&sums, 64 * sizeof(float));
  float* next = sums;
  for (const auto& batch : pipeline.epoch()) {
    const TensorBatch& tensors = batch.get<0>();
    batch.wait_on(stream);
    sum<<<static_cast<unsigned>(batch.size()), 128, 0, stream>>>(tensors.data<float>(), 3 * 64 * 64,
                                                                 next);
    next += batch.size();
    batch.release_after(stream);
  }
  float last = 0;
  cudaMemcpyAsync(&last, sums + 63, sizeof(last), cudaMemcpyDeviceToHost, stream);
  const cudaError_t end = cudaStreamSynchronize(stream);
  std::printf("%s; the last sum is %.1f\n", cudaGetErrorString(end), last);
  cudaFree(sums);
  cudaStreamDestroy(stream);
}
