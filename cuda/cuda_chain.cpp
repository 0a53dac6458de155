#include <sluice/cuda/cuda_chain.h>

#if defined(SLUICE_HAS_CUDA)

#include <algorithm>
#include <cstring>
#include <utility>

#include <cuda_runtime.h>

namespace sluice::device {
namespace {

// The number of times that a form must recur before a graph pays off.
constexpr std::int64_t kOften = 32;
// The number of forms that a stream remembers.
constexpr std::size_t kForms = 4;
// The alignment of arguments.
constexpr std::size_t kAligned = 16;

cudaMemsetParams fill_of(const CudaWork& work) {
  cudaMemsetParams fill = {};
  fill.dst = work.to;
  fill.value = work.value;
  fill.elementSize = 1;
  fill.width = work.bytes;
  fill.height = 1;
  return fill;
}

// Calls use() with the graph's parameters of the launch.
template <class Use>
cudaError_t with_launch(const CudaWork& work, const Use& use) {
  void* arguments[] = {const_cast<void*>(work.from)};
  cudaKernelNodeParams launch = {};
  launch.func = const_cast<void*>(work.blocks.function);
  launch.gridDim = dim3(work.blocks.blocks);
  launch.blockDim = dim3(work.blocks.threads);
  launch.kernelParams = arguments;
  return use(launch);
}

}  // namespace

CudaWork CudaWork::copy(void* to, const void* from, std::size_t bytes) {
  CudaWork work;
  work.to = to;
  work.from = from;
  work.bytes = bytes;
  return work;
}

CudaWork CudaWork::fill(void* at, unsigned char value, std::size_t bytes) {
  CudaWork work;
  work.kind = Kind::fill;
  work.to = at;
  work.value = value;
  work.bytes = bytes;
  return work;
}

CudaWork CudaWork::launch(const Kernel& kernel, std::span<const std::byte> arguments) {
  CudaWork work;
  work.kind = Kind::launch;
  work.from = arguments.data();
  work.bytes = arguments.size();
  work.blocks = kernel.on_cuda(arguments.data());
  work.kernel = &kernel;
  return work;
}

std::string CudaWork::what() const {
  switch (kind) {
    case Kind::copy:
      return "a copy";
    case Kind::fill:
      return "filling memory";
    case Kind::launch:
      return std::string("the launch of '") + kernel->name + "'";
  }
  return {};
}

cudaError_t CudaWork::begin(cudaStream_t stream) const {
  switch (kind) {
    case Kind::copy:
      return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
    case Kind::fill:
      return cudaMemsetAsync(to, value, bytes, stream);
    case Kind::launch:
      break;
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks.blocks);
  config.blockDim = dim3(blocks.threads);
  config.stream = stream;
  void* arguments[] = {const_cast<void*>(from)};
  return cudaLaunchKernelExC(&config, blocks.function, arguments);
}

cudaError_t CudaWork::add_to(cudaGraph_t graph, cudaGraphNode_t before,
                             cudaGraphNode_t* made) const {
  const std::size_t befores = before != nullptr ? 1 : 0;
  switch (kind) {
    case Kind::copy:
      return cudaGraphAddMemcpyNode1D(made, graph, &before, befores, to, from, bytes,
                                      cudaMemcpyDefault);
    case Kind::fill: {
      const cudaMemsetParams fill = fill_of(*this);
      return cudaGraphAddMemsetNode(made, graph, &before, befores, &fill);
    }
    case Kind::launch:
      break;
  }
  return with_launch(*this, [&](const cudaKernelNodeParams& launch) {
    return cudaGraphAddKernelNode(made, graph, &before, befores, &launch);
  });
}

cudaError_t CudaWork::put_into(cudaGraphExec_t graph, cudaGraphNode_t at) const {
  switch (kind) {
    case Kind::copy:
      return cudaGraphExecMemcpyNodeSetParams1D(graph, at, to, from, bytes, cudaMemcpyDefault);
    case Kind::fill: {
      const cudaMemsetParams fill = fill_of(*this);
      return cudaGraphExecMemsetNodeSetParams(graph, at, &fill);
    }
    case Kind::launch:
      break;
  }
  return with_launch(*this, [&](const cudaKernelNodeParams& launch) {
    return cudaGraphExecKernelNodeSetParams(graph, at, &launch);
  });
}

const void* CudaWork::form() const {
  static constexpr char kCopy = 0, kFill = 0;
  switch (kind) {
    case Kind::copy:
      return &kCopy;
    case Kind::fill:
      return &kFill;
    case Kind::launch:
      break;
  }
  return blocks.function;
}

void CudaChain::add(const CudaWork& work) {
  if (work.empty()) return;
  const std::size_t at = (arguments_.size() + kAligned - 1) / kAligned * kAligned;
  if (work.kind == CudaWork::Kind::launch) {
    arguments_.resize(at + work.bytes);
    std::memcpy(arguments_.data() + at, work.from, work.bytes);
  }
  arguments_at_.push_back(at);
  work_.push_back(work);
}

void CudaChain::clear() {
  work_.clear();
  arguments_at_.clear();
  arguments_.clear();
}

CudaChain::Begun CudaChain::begin(cudaStream_t stream) {
  Begun begun;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    if (work_[i].kind == CudaWork::Kind::launch)
      work_[i].from = arguments_.data() + arguments_at_[i];
  }
  if (work_.size() > 1) begun.as_graph = begin_graph(known(), stream);
  if (!begun.as_graph) {
    for (const CudaWork& work : work_) {
      begun.code = work.begin(stream);
      if (begun.code == cudaSuccess) continue;
      begun.what = work.what();
      break;
    }
  }
  clear();
  return begun;
}

// Returns the entry for chains of this form, moved to the front.
CudaChain::Known& CudaChain::known() {
  form_.clear();
  for (const CudaWork& work : work_) form_.push_back(work.form());
  auto found = std::find_if(known_.begin(), known_.end(),
                            [this](const Known& each) { return each.form == form_; });
  if (found == known_.end()) {
    if (known_.size() == kForms) {
      give_back(known_.back());
      known_.pop_back();
    }
    known_.emplace_back().form = form_;
    found = known_.end() - 1;
  }
  std::rotate(known_.begin(), found, found + 1);
  ++known_.front().came;
  return known_.front();
}

bool CudaChain::begin_graph(Known& of, cudaStream_t stream) {
  if (of.refused || of.came < kOften) return false;
  const auto begins = [&] {
    if (of.exec == nullptr) {
      if (make_graph(of) != cudaSuccess) return false;
    } else {
      for (std::size_t i = 0; i < work_.size(); ++i) {
        if (work_[i].put_into(of.exec, of.nodes[i]) != cudaSuccess) return false;
      }
    }
    return cudaGraphLaunch(of.exec, stream) == cudaSuccess;
  };
  if (begins()) return true;
  (void)cudaGetLastError();  // or the next call on this thread would seem to fail, too
  give_back(of);
  of.refused = true;
  return false;
}

cudaError_t CudaChain::make_graph(Known& of) const {
  cudaError_t code = cudaGraphCreate(&of.graph, 0);
  cudaGraphNode_t last = nullptr;
  for (std::size_t i = 0; i < work_.size() && code == cudaSuccess; ++i) {
    code = work_[i].add_to(of.graph, last, &last);
    of.nodes.push_back(last);
  }
  return code != cudaSuccess ? code : cudaGraphInstantiate(&of.exec, of.graph, 0);
}

void CudaChain::give_back(Known& of) {
  if (of.exec != nullptr) (void)cudaGraphExecDestroy(std::exchange(of.exec, nullptr));
  if (of.graph != nullptr) (void)cudaGraphDestroy(std::exchange(of.graph, nullptr));
  of.nodes.clear();
}

void CudaChain::give_back() {
  for (Known& each : known_) give_back(each);
  known_.clear();
}

}  // namespace sluice::device

#endif  // SLUICE_HAS_CUDA
