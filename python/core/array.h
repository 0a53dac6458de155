// Array: the elements of a batch, or of one sample of it, as other libraries take them: by DLPack,
// without a copy. It keeps the memory alive.
//
// Threads: under Python's lock. Errors: those of to_dlpack().
#pragma once

#include "object.h"
#include <sluice/sluice.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sluice::python {

class Array {
 public:
  explicit Array(Tensor tensor) : tensor_(std::make_shared<Tensor>(std::move(tensor))) {}

  const Tensor& tensor() const { return *tensor_; }
  // A capsule, of the versioned form where the consumer takes it.
  nb::object dlpack(std::optional<std::intptr_t> stream, bool versioned) const;
  // DLPack's kind of device, and its number.
  nb::tuple device() const;
  Array to_host() const { return Array(tensor_->to_host()); }

 private:
  std::shared_ptr<Tensor> tensor_;
};

// A column of pictures or tensors.
class Pictures {
 public:
  explicit Pictures(ImageBatch images) : column_(std::make_shared<ImageBatch>(std::move(images))) {}
  explicit Pictures(TensorBatch tensors)
      : column_(std::make_shared<TensorBatch>(std::move(tensors))) {}
  const detail::MemoryBatch& column() const { return *column_; }

 private:
  std::shared_ptr<detail::MemoryBatch> column_;
};

// A tensor with elements of its own, of anything that Python's libraries have as an array in the
// host's memory: by DLPack or the buffer protocol. `create` gives the memory.
void copy_array(nb::handle object, Tensor& out, Layout layout = Layout::none);
// The same of a picture: u8, height x width, or height x width x channels.
void copy_picture(nb::handle object, Image& out);

void bind_arrays(nb::module_& module);

}  // namespace sluice::python
