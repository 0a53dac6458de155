// Batches as inputs of a TensorRT engine, without a copy: they stay in GPU memory, and the engine
// runs in the program's stream. Arguments: the file of an engine, as `trtexec --onnx=model.onnx
// --saveEngine=model.engine` writes it, and a folder of JPEG files. The engine has one input of
// f32, N x 3 x height x width, and one output of f32. It needs TensorRT 8.5 or newer.
//
// If the pipeline has no GPU, copy each batch to the GPU with cudaMemcpyAsync, and give TensorRT
// the copy.
#include <sluice/sluice.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <NvInfer.h>

using namespace sluice;

namespace {

class Logger final : public nvinfer1::ILogger {
  void log(Severity severity, const char* message) noexcept override {
    if (severity <= Severity::kWARNING) (void)std::fprintf(stderr, "TensorRT: %s\n", message);
  }
};

void check(bool good, const char* otherwise) {
  if (!good) throw std::runtime_error(otherwise);
}
void check(cudaError_t error) { check(error == cudaSuccess, cudaGetErrorString(error)); }

bool has_open_sizes(const nvinfer1::Dims& dims) {
  return std::count(dims.d, dims.d + dims.nbDims, -1) > 0;
}

}  // namespace

int main(int argc, char** argv) try {
  check(argc == 3, "usage: example_tensorrt ENGINE FOLDER");
  std::ifstream file(argv[1], std::ios::binary);
  check(file.good(), "the file of the engine cannot be read");
  const std::string saved(std::istreambuf_iterator<char>(file), {});
  Logger logger;  // must outlive the objects below
  const std::unique_ptr<nvinfer1::IRuntime> runtime(nvinfer1::createInferRuntime(logger));
  check(runtime != nullptr, "TensorRT cannot start");
  const std::unique_ptr<nvinfer1::ICudaEngine> engine(
      runtime->deserializeCudaEngine(saved.data(), saved.size()));
  check(engine != nullptr, "the file is not an engine for this GPU and this TensorRT");
  const std::unique_ptr<nvinfer1::IExecutionContext> context(engine->createExecutionContext());
  check(context != nullptr, "the engine has no memory to run in");

  check(engine->getNbIOTensors() == 2, "the engine does not have one input and one output");
  const char* input = engine->getIOTensorName(0);
  const char* output = engine->getIOTensorName(1);
  if (engine->getTensorIOMode(input) != nvinfer1::TensorIOMode::kINPUT) std::swap(input, output);
  for (const char* name : {input, output}) {
    check(engine->getTensorDataType(name) == nvinfer1::DataType::kFLOAT, "a tensor is not f32");
    check(engine->getTensorFormat(name) == nvinfer1::TensorFormat::kLINEAR,
          "a tensor is not in linear (row-major) format");
  }
  nvinfer1::Dims in = engine->getTensorShape(input);
  if (has_open_sizes(in))
    in = engine->getProfileShape(input, 0, nvinfer1::OptProfileSelector::kOPT);
  check(in.nbDims == 4 && in.d[1] == 3, "the input is not N x 3 x height x width");
  check(context->setInputShape(input, in), "TensorRT refuses the shape of its input");
  const nvinfer1::Dims out = context->getTensorShape(output);
  check(!has_open_sizes(out), "the size of the output depends on the pixels");
  std::size_t numbers = 1;  // in the results of a batch
  for (int i = 0; i < out.nbDims; ++i) numbers *= static_cast<std::size_t>(out.d[i]);

  // All batches are full: `compact` closes the gaps of files that cannot be decoded, and `fill`
  // repeats the last image.
  const PipelineOptions options{.batch_size = static_cast<int>(in.d[0]),
                                .device = gpu(0),
                                .last_batch = LastBatch::fill,
                                .compact = true,
                                .on_error = OnError::skip};
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(argv[2]));
    return resize_mirror_normalize(decode_jpeg(jpeg.gpu()), {.height = static_cast<int>(in.d[2]),
                                                             .width = static_cast<int>(in.d[3]),
                                                             .mean = kImageNetMean,
                                                             .std = kImageNetStd});
  });

  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  void* results = nullptr;
  check(cudaMalloc(&results, numbers * sizeof(float)));
  check(context->setTensorAddress(output, results), "TensorRT refuses the output's memory");
  std::vector<float> on_host(numbers);
  std::size_t images = 0;
  for (const auto& batch : pipeline.epoch()) {
    const TensorBatch& tensors = batch.get<0>();
    if (tensors.empty()) break;  // no file could be decoded
    batch.wait_on(stream);
    check(context->setTensorAddress(input, tensors.data()), "TensorRT refuses the batch");
    check(context->enqueueV3(stream), "TensorRT cannot run the engine");
    batch.release_after(stream);
    check(cudaMemcpyAsync(on_host.data(), results, numbers * sizeof(float), cudaMemcpyDeviceToHost,
                          stream));
    check(cudaStreamSynchronize(stream));  // the pipeline prepares the next batches meanwhile
    images += batch.size() - batch.padding();
  }
  std::printf("%zu images: %zu numbers for each\n", images,
              numbers / static_cast<std::size_t>(in.d[0]));
  check(cudaFree(results));
  check(cudaStreamDestroy(stream));
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
