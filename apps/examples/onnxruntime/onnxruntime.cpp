// Batches as inputs of a model in ONNX Runtime, without a copy. On a GPU where ONNX Runtime and
// Sluice both see one: the session works in a stream of the program's, which the pipeline's copies
// and ONNX Runtime's kernels take turns in. On the host elsewhere. Arguments: a folder of JPEG
// files, and a model, with one input and one output of f32, N x 3 x 224 x 224 and N x anything; or
// none, for the means of the three channels.
#include <sluice/sluice.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <onnxruntime_cxx_api.h>
#ifdef EXAMPLE_CUDA
#include <cuda_runtime_api.h>
#endif

using namespace sluice;

namespace {

// GlobalAveragePool of x as y, in the encoding of ONNX.
constexpr std::string_view kMeans(
    "\x08\x08\x12\0:\\\n\x19\n\x01x\x12\x01y\"\x11GlobalAveragePool\x12\x01mZ\x1e\n\x01x\x12\x19"
    "\n\x17\x08\x01\x12\x13\n\x03\x12\x01n\n\x02\x08\x03\n\x03\x12\x01h\n\x03\x12\x01wb\x1c\n\x01y"
    "\x12\x17\n\x15\x08\x01\x12\x11\n\x03\x12\x01n\n\x02\x08\x03\n\x02\x08\x01\n\x02\x08\x01"
    "B\x04\n\0\x10\r",
    104);

bool both_see_a_gpu() {
#ifdef EXAMPLE_CUDA
  const std::vector<std::string> all = Ort::GetAvailableProviders();
  return std::find(all.begin(), all.end(), "CUDAExecutionProvider") != all.end() &&
         !look_for_gpus().gpus.empty();
#else
  return false;
#endif
}

// The stream that the session works in from now on.
void* use_gpu([[maybe_unused]] Ort::SessionOptions& session) {
#ifdef EXAMPLE_CUDA
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  OrtCUDAProviderOptions cuda;
  cuda.has_user_compute_stream = 1;
  cuda.user_compute_stream = stream;
  session.AppendExecutionProvider_CUDA(cuda);
  return stream;
#else
  return nullptr;
#endif
}

}  // namespace

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  const bool on_gpu = both_see_a_gpu();
  const PipelineOptions options{
      .batch_size = 32, .device = on_gpu ? gpu(0) : nullptr, .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    auto image = decode_jpeg(on_gpu ? jpeg.gpu() : jpeg);
    return resize_mirror_normalize(image, {.height = 224, .width = 224});
  });

  const Ort::Env env;
  Ort::SessionOptions session_options;
  void* const stream = on_gpu ? use_gpu(session_options) : nullptr;
  Ort::Session session = argc > 2
                             ? Ort::Session(env, argv[2], session_options)
                             : Ort::Session(env, kMeans.data(), kMeans.size(), session_options);
  const Ort::AllocatorWithDefaultOptions names;
  const auto input = session.GetInputNameAllocated(0, names);
  const auto output = session.GetOutputNameAllocated(0, names);
  const Ort::MemoryInfo there(on_gpu ? "Cuda" : "Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault);
  const Ort::MemoryInfo host("Cpu", OrtDeviceAllocator, 0, OrtMemTypeDefault);
  std::size_t images = 0;
  std::size_t numbers = 0;
  for (const auto& batch : pipeline.epoch()) {
    Tensor pixels = batch.get<0>().tensor();
    Ort::IoBinding binding(session);
    binding.BindInput(
        input.get(),
        Ort::Value::CreateTensor<float>(
            there, pixels.data<float>(), static_cast<std::size_t>(pixels.elements()),
            pixels.shape().dims.data(), static_cast<std::size_t>(pixels.shape().rank)));
    binding.BindOutput(output.get(), host);
    if (on_gpu) batch.wait_on(stream);
    session.Run(Ort::RunOptions(), binding);
    if (on_gpu) batch.release_after(stream);
    const auto results = binding.GetOutputValues();
    images += batch.size();
    numbers += results[0].GetTensorTypeAndShapeInfo().GetElementCount();
  }
  if (images == 0) return 0;
  std::printf("%zu images: %zu numbers for each\n", images, numbers / images);
  std::printf("ONNX Runtime %s, on the %s\n", Ort::GetVersionString().c_str(),
              on_gpu ? "GPU" : "host");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
