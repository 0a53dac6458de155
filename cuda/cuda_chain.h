// CudaChain: work for a CUDA stream that starts with one call. A chain that recurs (the same kinds
// of work and the same kernels in the same order) is kept as a CUDA graph. The graph is updated
// with the new sizes, addresses and arguments, and launched by one call. Like other work of the
// stream, it starts after what is already in the stream. Empty without CUDA.
//
//   CudaChain chain;
//   chain.add(CudaWork::copy(to, from, bytes));
//   chain.add(CudaWork::launch(kernel, arguments));   // the arguments are copied
//   const CudaChain::Begun begun = chain.begin(stream);
//
// Ownership: keeps its graphs until give_back(). Threads: one at a time, with the GPU as the
// current device. Errors: CUDA's codes. Work that a graph rejects is launched piece by piece.
#pragma once

#if defined(__CUDACC__) || defined(SLUICE_HAS_CUDA)

#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace sluice::device {

// One piece of work.
struct CudaWork {
  enum class Kind { copy, fill, launch };

  static CudaWork copy(void* to, const void* from, std::size_t bytes);
  static CudaWork fill(void* at, unsigned char value, std::size_t bytes);
  // The kernel must have a CUDA version. Keeps references to both arguments.
  static CudaWork launch(const Kernel& kernel, std::span<const std::byte> arguments);

  // True if there is nothing to do.
  bool empty() const { return kind == Kind::launch ? blocks.blocks == 0 : bytes == 0; }
  // For errors: "the launch of 'resize'".
  std::string what() const;
  cudaError_t begin(cudaStream_t stream) const;
  // Adds it to a graph, after `before` unless that is null.
  cudaError_t add_to(cudaGraph_t graph, cudaGraphNode_t before, cudaGraphNode_t* made) const;
  cudaError_t put_into(cudaGraphExec_t graph, cudaGraphNode_t at) const;
  // A key: two pieces with the same key can replace each other in a graph.
  const void* form() const;

  Kind kind = Kind::copy;
  void* to = nullptr;
  const void* from = nullptr;  // a launch: its arguments
  std::size_t bytes = 0;
  unsigned char value = 0;
  CudaLaunch blocks;
  const Kernel* kernel = nullptr;
};

class CudaChain {
 public:
  void add(const CudaWork& work);
  void clear();
  struct Begun {
    cudaError_t code = cudaSuccess;
    std::string what;  // of the piece that failed; see CudaWork::what()
    bool as_graph = false;
  };
  // Starts all pieces and forgets them.
  Begun begin(cudaStream_t stream);
  // Returns the graphs to CUDA. Call it before destruction, unless CUDA must not be called any
  // more.
  void give_back();

 private:
  // The chains of one form.
  struct Known {
    std::vector<const void*> form;  // of each piece
    std::int64_t came = 0;
    bool refused = false;
    std::vector<cudaGraphNode_t> nodes;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;  // null: not made yet
  };
  Known& known();
  bool begin_graph(Known& of, cudaStream_t stream);
  cudaError_t make_graph(Known& of) const;
  static void give_back(Known& of);

  std::vector<CudaWork> work_;
  std::vector<std::size_t> arguments_at_;  // by piece
  std::vector<std::byte> arguments_;
  std::vector<const void*> form_;  // of the chain to start now
  std::vector<Known> known_;       // the most recent one first
};

}  // namespace sluice::device

#endif  // CUDA
