// device_view: how a kernel's body gets at device memory. On a GPU it is the address itself; on the
// stand-in it is where the memory really lies, once it is sure that the access is in order.
//
//   const std::uint8_t* in = device_view(job.in, job.bytes);        // read
//   float* out = device_view(job.out, 3 * job.pixels);              // written
//
// Ask once for each range that the kernel uses, before it is used. Outside of a launch, as in tests
// of a body on plain memory, the address is given back as it is. Errors: on the stand-in it throws
// DeviceError for memory that is not there (any more), and for an access that another stream's may
// overlap: see host_device.h.
#pragma once

#include <cstddef>
#include <type_traits>

#if defined(__CUDACC__)
#define SLUICE_HOST_DEVICE __host__ __device__
#else
#define SLUICE_HOST_DEVICE
#endif

// SLUICE_UNROLL stands before loops whose arrays must be registers of a GPU, SLUICE_NO_UNROLL
// before loops whose body is long, so that nvcc takes long to repeat it.
#if defined(__CUDA_ARCH__)
#define SLUICE_UNROLL _Pragma("unroll")
#define SLUICE_NO_UNROLL _Pragma("unroll 1")
#else
#define SLUICE_UNROLL
#define SLUICE_NO_UNROLL
#endif

namespace sluice::device {

#if !defined(__CUDA_ARCH__)
std::ptrdiff_t enter_memory(const void* at, std::size_t bytes, bool writes);
void enter_pinned(const void* at, std::size_t bytes);
#endif

template <class T>
SLUICE_HOST_DEVICE T* device_view(T* at, [[maybe_unused]] std::size_t count) {
#if defined(__CUDA_ARCH__)
  return at;
#else
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  const std::ptrdiff_t moved = enter_memory(at, count * sizeof(T), !std::is_const_v<T>);
  return reinterpret_cast<T*>(reinterpret_cast<Byte*>(at) + moved);
#endif
}

// The same for pinned memory of the host, which kernels only read.
template <class T>
SLUICE_HOST_DEVICE const T* pinned_view(const T* at, [[maybe_unused]] std::size_t count) {
#if !defined(__CUDA_ARCH__)
  enter_pinned(at, count * sizeof(T));
#endif
  return at;
}

}  // namespace sluice::device
