// device_view: gives the bodies of kernels access to device memory. On a GPU it returns the address
// itself. On HostDevice it returns the real location of the memory, after checking the access.
//
//   const std::uint8_t* in = device_view(job.in, job.bytes);        // read
//   float* out = device_view(job.out, 3 * job.pixels);              // written
//
// Call it once for each range that the kernel uses, before using it. Outside of a launch, as in
// tests of a body on plain memory, it returns the address unchanged. Errors: on HostDevice it
// throws DeviceError for memory that does not exist (any more), and for an access that may overlap
// another stream's: see host_device.h.
#pragma once

#include <cstddef>
#include <type_traits>

#if defined(__CUDACC__)
#define SLUICE_HOST_DEVICE __host__ __device__
#else
#define SLUICE_HOST_DEVICE
#endif

// SLUICE_UNROLL precedes loops whose arrays must be in registers of a GPU. SLUICE_NO_UNROLL
// precedes loops with long bodies, which nvcc would take long to unroll.
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

// The same for pinned host memory, which kernels only read.
template <class T>
SLUICE_HOST_DEVICE const T* pinned_view(const T* at, [[maybe_unused]] std::size_t count) {
#if !defined(__CUDA_ARCH__)
  enter_pinned(at, count * sizeof(T));
#endif
  return at;
}

// Returns the index of the last of `count` ranges that does not begin after `at`; begin_of(i)
// ascends with i. Returns 0 if all begin after it.
template <class Number, class BeginOf>
SLUICE_HOST_DEVICE Number find_range(Number count, Number at, const BeginOf& begin_of) {
  Number low = 0, high = count;
  while (high - low > 1) {
    const Number middle = low + (high - low) / 2;
    if (begin_of(middle) <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace sluice::device
