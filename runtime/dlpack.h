// Exchanges tensors with other libraries by DLPack, without copying the elements:
//
//   auto pixels = at::fromDLPack(to_dlpack(images.tensor()));   // LibTorch frees it
//   Tensor tensor = from_dlpack(at::toDLPack(theirs));
//
// The structs are DLPack's own, and only declared here. To look into them, include your
// <dlpack/dlpack.h>, of any version, before this header or after it.
//
// For tensors of a device, the elements are ready when the call returns; it waits if it must. If
// you work on a stream, pass it, and nothing waits:
//
//   auto stream = reinterpret_cast<std::intptr_t>(at::cuda::getCurrentCUDAStream().stream());
//   auto pixels = at::fromDLPack(to_dlpack(images.tensor(), stream == 0 ? 1 : stream));
//
// Work put into the stream after that finds the elements ready. After the deleter is called, the
// memory is reused only when the work that is then in the stream is over. The stream must last
// until the deleter is called. Streams are numbers, as in the Python array API: 1 is CUDA's legacy
// default stream, 2 the default stream of the thread, -1 none (wait for the elements yourself, see
// Tensor::wait_on()). Any other positive number is a cudaStream_t; 0 and other negative ones raise
// an error.
//
// Ownership: to_dlpack() moves the tensor into its result. The consumer calls the deleter once, on
// any thread, even after the pipeline is gone. from_dlpack() takes ownership of its argument: the
// deleter is called once, on the thread that destroys the last handle of the tensor. If either
// throws, ownership does not change. Threads: pure functions. Errors: std::invalid_argument for a
// tensor that cannot be exchanged, with the reason; std::bad_alloc.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace sluice {

// The original form, which all consumers know. The tensor must own or share its elements: it must
// not be a view. It must not be read-only, because this form cannot express that.
DLManagedTensor* to_dlpack(Tensor&& tensor);
DLManagedTensor* to_dlpack(Tensor&& tensor, std::intptr_t stream);
// The form of DLPack 1.0, with a version and a flag for read-only elements.
DLManagedTensorVersioned* to_dlpack_versioned(Tensor&& tensor);
DLManagedTensorVersioned* to_dlpack_versioned(Tensor&& tensor, std::intptr_t stream);

// Accepts tensors in host memory (also pinned) and on CUDA devices, of the types that a Tensor can
// have, with one lane, up to six dimensions, and any strides; in the versioned form, of version 1.
// Device tensors are for your own use: nothing in Sluice accepts them.
Tensor from_dlpack(DLManagedTensor* managed, Layout layout = Layout::none);
Tensor from_dlpack(DLManagedTensorVersioned* managed, Layout layout = Layout::none);

}  // namespace sluice
