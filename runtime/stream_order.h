// StreamOrder: how memory that a device uses takes turns with the streams of those who get it. A
// batch's memory has one; its tensors refer to it.
//
// Streams are given as the handles of their library: a cudaStream_t, of which null is CUDA's
// default stream; of the stand-in, what DeviceStream::native() gives.
//
// Threads: any. Errors: DeviceError; std::logic_error for streams where there is no device.
#pragma once

namespace sluice {

class Tensor;

class StreamOrder {
 public:
  // What is put into the stream from now on begins when the memory holds what it shall. Returns at
  // once.
  virtual void wait_on(void* stream) = 0;
  // Waits for that here and now, and throws what went wrong.
  virtual void wait() = 0;
  // When nobody has the memory any more, it is not used again before the work is over that is in
  // the stream now.
  virtual void release_after(void* stream) = 0;
  // Waits, and copies the elements, which lie in this memory side by side.
  virtual Tensor to_host(const Tensor& tensor) = 0;

 protected:
  ~StreamOrder() = default;
};

}  // namespace sluice
