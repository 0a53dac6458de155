// Array: the elements of a batch, or of one sample of it, as other libraries take them: by DLPack,
// without a copy. It keeps the memory alive.
//
// Threads: under Python's lock. Errors: those of to_dlpack(); Python's BufferError for a copy or a
// device that a consumer asks for and cannot have.
#pragma once

#include "object.h"
#include <sluice/sluice.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::python {

// What a consumer asks of __dlpack__.
struct DlpackRequest {
  std::optional<std::intptr_t> stream = {};
  bool versioned = false;                          // it takes that form
  std::optional<std::pair<int, int>> device = {};  // DLPack's kind, and the number
  std::optional<bool> copy = {};                   // none: where it has to be one
};

class Array {
 public:
  explicit Array(Tensor tensor) : tensor_(std::make_shared<Tensor>(std::move(tensor))) {}

  const Tensor& tensor() const { return *tensor_; }
  nb::object dlpack(const DlpackRequest& request) const;  // a capsule
  // NumPy's array of the same elements, which are in the host's memory. Not by DLPack, since what
  // NumPy takes so is read-only before NumPy 2.3, and has no bools before 1.25.
  nb::object numpy() const;
  // DLPack's kind of device, and its number.
  std::pair<int, int> device() const;
  Array to_host() const { return Array(tensor_->to_host()); }

 private:
  std::shared_ptr<Tensor> tensor_;
};

// A column of pictures or tensors.
class Pictures {
 public:
  explicit Pictures(ImageBatch images) : images_(std::make_shared<ImageBatch>(std::move(images))) {}
  explicit Pictures(TensorBatch tensors)
      : tensors_(std::make_shared<TensorBatch>(std::move(tensors))) {}
  const detail::MemoryBatch& column() const {
    return images_ != nullptr ? static_cast<const detail::MemoryBatch&>(*images_) : *tensors_;
  }
  // One of them is null.
  const ImageBatch* images() const { return images_.get(); }
  const TensorBatch* tensors() const { return tensors_.get(); }

 private:
  std::shared_ptr<ImageBatch> images_;
  std::shared_ptr<TensorBatch> tensors_;
};

// A tensor with elements of its own, of anything that Python's libraries have as an array in the
// host's memory: by DLPack or the buffer protocol. `create` gives the memory.
void copy_array(nb::handle object, Tensor& out, Layout layout = Layout::none);
// The same of a picture: u8, height x width, or height x width x channels.
void copy_picture(nb::handle object, Image& out);

void bind_arrays(nb::module_& module);

}  // namespace sluice::python
