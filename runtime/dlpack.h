// Tensors from and to other libraries by DLPack, with no copy of the elements:
//
//   auto pixels = at::fromDLPack(to_dlpack(images.tensor()));   // LibTorch frees it
//   Tensor tensor = from_dlpack(at::toDLPack(theirs));
//
// The structs are DLPack's own, only declared here: bring along whichever <dlpack/dlpack.h> you
// have, of any version, before this header or after it, if you look into them.
//
// Tensors of a device: the elements that a consumer gets are ready when the call returns, for which
// it waits where it must. Whoever works on a stream says so, and nobody waits:
//
//   auto stream = reinterpret_cast<std::intptr_t>(at::cuda::getCurrentCUDAStream().stream());
//   auto pixels = at::fromDLPack(to_dlpack(images.tensor(), stream == 0 ? 1 : stream));
//
// What is put into the stream after that finds the elements ready; and when the deleter is called,
// the memory is used again only when the work is over that is in the stream then. The stream must
// last until then. Streams are numbers, as in the protocol of Python's arrays: 1 is CUDA's legacy
// default stream, 2 the default stream of the thread, -1 none (wait for the elements yourself, see
// Tensor::wait_on()), any other positive one is a cudaStream_t; 0 and other negative ones are
// refused.
//
// Ownership: to_dlpack() moves the tensor into what it gives, and whoever has that calls its
// deleter, once, on any thread, also when the pipeline is long gone. from_dlpack() takes over what
// it is given: the deleter is called once, when the last handle of the tensor goes, on that
// handle's thread. Where either throws, nothing has changed hands. Threads: pure functions. Errors:
// std::invalid_argument for what cannot be handed over, and why; std::bad_alloc.
#pragma once

#include <sluice/runtime/tensor.h>

#include <cstdint>

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace sluice {

// The first form, which all consumers know. Wants a tensor that owns or shares its elements, no
// view, and no read-only one, which this form cannot tell from others.
DLManagedTensor* to_dlpack(Tensor&& tensor);
DLManagedTensor* to_dlpack(Tensor&& tensor, std::intptr_t stream);
// The form of DLPack 1.0, with a version and a flag for read-only elements.
DLManagedTensorVersioned* to_dlpack_versioned(Tensor&& tensor);
DLManagedTensorVersioned* to_dlpack_versioned(Tensor&& tensor, std::intptr_t stream);

// Tensors of the host, pinned ones included, and of a device of CUDA's, of the types that a Tensor
// can have, with one lane, up to six dimensions, and any strides. Of the versioned form: of
// version 1. What a device's are used for is up to you: nothing of Sluice takes them.
Tensor from_dlpack(DLManagedTensor* managed, Layout layout = Layout::none);
Tensor from_dlpack(DLManagedTensorVersioned* managed, Layout layout = Layout::none);

}  // namespace sluice
