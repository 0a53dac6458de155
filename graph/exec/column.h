// ImageBatch, TensorBatch and Items<T> hold one output of a batch: its images, its tensors, or its
// values of any other type. Column is the type-erased form that is used while the batch is filled.
//
// Ownership: each owns its values, and may outlive the batch and the pipeline that made it. Handles
// share the memory of the values: a copy of an ImageBatch or TensorBatch, and the result of
// tensor(), refer to the same elements. The last handle releases the memory of the whole column.
// Items can be moved but not copied. A moved-from object is empty.
//
// Images and tensors that were on a device at the end of the pipeline, or are delivered there, are
// in device memory, see place(): their addresses are device addresses.
//
// Threads: like a vector; handles may be made and destroyed on different threads. Errors:
// operator[] does not check; at() throws std::out_of_range; functions that need one block throw
// std::logic_error unless the batch has one, see dense().
#pragma once

#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/memory.h>
#include <sluice/runtime/take_ownership.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace sluice {
class BatchMemory;
struct BatchHistory;
class DeviceBatches;

namespace detail {

struct DeviceMemory;

template <class Batch>
class IndexIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = decltype(std::declval<const Batch&>()[0]);
  using reference = value_type;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;
  IndexIterator() = default;
  IndexIterator(const Batch* batch, std::size_t index) : batch_(batch), index_(index) {}
  reference operator*() const { return (*batch_)[index_]; }
  IndexIterator& operator++() {
    ++index_;
    return *this;
  }
  IndexIterator operator++(int) {
    IndexIterator before = *this;
    ++index_;
    return before;
  }
  friend bool operator==(const IndexIterator&, const IndexIterator&) = default;

 private:
  const Batch* batch_ = nullptr;
  std::size_t index_ = 0;
};

[[noreturn]] void throw_outside_batch(std::size_t index, std::size_t size);
[[noreturn]] void throw_not_dense();

// The common base of ImageBatch and TensorBatch.
class MemoryBatch {
 public:
  MemoryBatch() = default;
  explicit MemoryBatch(std::shared_ptr<BatchMemory> memory) : memory_(std::move(memory)) {}

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  // True if all samples have the same shape: they then lie side by side in one block. An empty
  // batch is not dense but has a block, so that loops need no special case. Its shape() is 0,
  // followed by the shape of a sample of the previous batch, with 0 for unknown sizes.
  bool dense() const;
  // The type of the elements of all samples. An empty batch has the type of the previous batch, or
  // of the description; f32 if neither is known.
  DType dtype() const;
  // The layout of each sample.
  Layout layout() const;
  // The memory that holds the samples.
  MemoryPlace place() const;

  // For code that uses the samples on a stream, see StreamSync. The device may still be copying
  // samples when the batch is delivered. Work that is put into `stream`
  // after this call begins when all samples are ready. The call itself does not wait.
  void wait_on(void* stream) const;
  // Waits until all samples are ready. Throws if the device reported an error.
  void wait() const;
  // Delays the reuse of the memory until the last handle is gone and the work that is in `stream`
  // now is done. Without this call, the memory is reused as soon as the last handle is gone, even
  // if a stream still reads it.
  void release_after(void* stream) const;

  // The shape of the block: the number of samples, then the shape of each.
  Shape shape() const;
  Strides strides() const;  // in elements
  std::size_t nbytes() const;
  // Return the block, or sample i, as a tensor; a batch that is not dense has only the second.
  // Neither copies, and both keep the memory of the column alive. tensor(i) throws
  // std::out_of_range.
  Tensor tensor() const;
  Tensor tensor(std::size_t i) const;

 protected:
  std::byte* block() const;
  // The same; throws std::invalid_argument unless the elements are of this type.
  std::byte* block(DType type) const;
  // Returns a view of value i. Does not check i.
  Tensor view(std::size_t i) const;
  // Returns the memory itself if it is host memory, else a copy in host memory.
  std::shared_ptr<BatchMemory> on_host() const;
  void check(std::size_t i) const {
    if (i >= size()) throw_outside_batch(i, size());
  }
  std::shared_ptr<BatchMemory> memory_;
};

}  // namespace detail

// The images of a batch.
class ImageBatch : public detail::MemoryBatch {
 public:
  using MemoryBatch::MemoryBatch;
  using iterator = detail::IndexIterator<ImageBatch>;
  // Returns a view of image i, valid for as long as the batch.
  Image operator[](std::size_t i) const;
  Image at(std::size_t i) const {
    check(i);
    return (*this)[i];
  }
  // Returns image i, which keeps the memory of the column alive. Throws std::out_of_range.
  Image image(std::size_t i) const { return Image::anywhere(tensor(i)); }
  // Returns the images in host memory. Images on a device are copied, and the call waits for the
  // copy; otherwise the result is another handle on the same images.
  ImageBatch to_host() const { return ImageBatch(on_host()); }
  // N x H x W x C bytes; throws std::logic_error unless dense().
  std::uint8_t* data() const { return reinterpret_cast<std::uint8_t*>(block()); }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
};

// The tensors of a batch.
class TensorBatch : public detail::MemoryBatch {
 public:
  using MemoryBatch::MemoryBatch;
  using iterator = detail::IndexIterator<TensorBatch>;
  // Returns a view of tensor i, valid for as long as the batch.
  Tensor operator[](std::size_t i) const { return view(i); }
  Tensor at(std::size_t i) const {
    check(i);
    return (*this)[i];
  }
  // See ImageBatch.
  TensorBatch to_host() const { return TensorBatch(on_host()); }
  // All elements, sample after sample, of any type; throws std::logic_error unless dense().
  void* data() const { return block(); }
  // All elements, sample after sample; throws std::logic_error unless dense(),
  // std::invalid_argument unless they are T.
  template <class T>
  T* data() const {
    return reinterpret_cast<T*>(block(dtype_of<T>::value));
  }
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }
};

namespace detail {
template <class T>
concept TensorElement = requires {
  dtype_of<T>::value;
};
Tensor tensor_of(std::shared_ptr<void> owner, std::byte* data, std::size_t size, DType dtype);
}  // namespace detail

// The values of a batch of any other type, contiguous.
template <class T>
class Items {
 public:
  Items() = default;
  Items(std::shared_ptr<T[]> items, std::size_t size) : items_(std::move(items)), size_(size) {}
  Items(Items&& other) noexcept
      : items_(std::move(other.items_)), size_(std::exchange(other.size_, 0)) {}
  Items& operator=(Items&& other) noexcept {
    items_ = std::move(other.items_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& at(std::size_t i) const {
    if (i >= size_) detail::throw_outside_batch(i, size_);
    return items_[i];
  }
  const T* data() const { return items_.get(); }
  T* data() { return items_.get(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

  // Returns all items as a tensor of one dimension, if T is a number that a tensor can hold. Copies
  // nothing; the tensor keeps the items alive. Throws std::logic_error if this never held values or
  // was moved from.
  Tensor tensor() const requires detail::TensorElement<T> {
    return detail::tensor_of(items_, reinterpret_cast<std::byte*>(items_.get()), size_,
                             dtype_of<T>::value);
  }

 private:
  std::shared_ptr<T[]> items_;
  std::size_t size_ = 0;
};

template <class T>
struct batch_of {
  using type = Items<T>;
};
template <>
struct batch_of<Image> {
  using type = ImageBatch;
};
template <>
struct batch_of<Tensor> {
  using type = TensorBatch;
};
template <class T>
using batch_of_t = typename batch_of<T>::type;

namespace detail {

// Thrown by emit() for an empty image or tensor. The caller knows which step left it empty.
class LeftEmpty : public Error {
 public:
  using Error::Error;
};

// One output of a batch that is being filled. Samples write from several threads, each into its own
// cell.
class Column {
 public:
  virtual ~Column() = default;
  // Returns memory for the value of a cell that is about to be made; null if values of this type
  // are moved in at the end.
  virtual std::byte* place(std::size_t cell, const ValueSpec& spec) = 0;
  // The kind of memory that place() last returned for the cell.
  virtual MemoryPlace where(std::size_t) const { return {}; }
  // The spec of a cell's value, once emitted; empty for values that are not tensors.
  virtual TensorSpec spec(std::size_t) const { return {}; }
  // Stores the value of a cell. It may move from `value` if `last_use`.
  virtual void emit(std::size_t cell, void* value, bool last_use) = 0;
  // Call it when all cells have been emitted, before finish(). Starts to copy values to the device
  // if they are delivered there. finish() uses the copy if it keeps all cells. Returns false if the
  // copy cannot start yet: values must be moved first, or there was an error. finish() then copies
  // and reports the error.
  virtual bool copy_ahead() noexcept { return true; }
  // Keeps these cells in this order, then repeats the last one `padding` times.
  virtual void finish(std::span<const std::uint32_t> kept, std::size_t padding) = 0;
  // After finish(): passes value i to a cell of a column of the same kind.
  virtual void transfer(std::size_t i, Column& to, std::size_t cell) = 0;
  // Bytes of memory held.
  virtual std::size_t bytes() const = 0;
};

// The memory for the values of one output.
struct ColumnMemory {
  BufferPool* pool = nullptr;
  std::shared_ptr<MemoryResource> given = {};  // the user's, or null
  // Set if steps on a device make the values, in device memory or for the host, or if they are
  // delivered on a device; else null.
  std::shared_ptr<DeviceBatches> device = {};
  // The device's memory if values in host memory are delivered there; else null. `given` is then
  // device memory.
  DeviceMemory* deliver_to = nullptr;
};

// Makes the columns of one output, batch after batch.
class ColumnMaker {
 public:
  virtual ~ColumnMaker() = default;
  virtual std::unique_ptr<Column> make(std::size_t cells, const ColumnMemory& memory) = 0;
  // True if the values can be written to memory that the user provides.
  virtual bool takes_memory() const = 0;
  // True if a value can be delivered twice: as two outputs, or as padding of a batch.
  virtual bool copyable() const = 0;
  // Takes what the pipeline description knows about the values. Called before any column is made.
  virtual void expect(const TensorSpec&) {}
};

template <class T>
class ItemsColumn : public Column {
 public:
  // Goes through a unique_ptr because of a GCC 12 bug: if the shared_ptr's count cannot be
  // allocated, GCC 12 destroys the array of a plain `new T[cells]()` twice.
  explicit ItemsColumn(std::size_t cells) : items_(std::make_unique<T[]>(cells)), size_(cells) {}
  std::byte* place(std::size_t, const ValueSpec&) override { return nullptr; }
  void emit(std::size_t cell, void* value, bool last_use) override {
    T& from = *static_cast<T*>(value);
    if constexpr (std::is_same_v<T, Bytes>) from.read_all();  // an error belongs to this sample
    if constexpr (copies<T>()) {
      if (!last_use) {
        items_[cell] = from;
        return;
      }
    }
    items_[cell] = std::move(from);
  }
  void finish(std::span<const std::uint32_t> kept, std::size_t padding) override {
    std::size_t to = 0;
    for (const std::uint32_t cell : kept) {
      if (cell != to) items_[to] = std::move(items_[cell]);
      ++to;
    }
    if constexpr (copies<T>()) {
      for (; padding > 0 && !kept.empty(); --padding, ++to) items_[to] = items_[kept.size() - 1];
    }
    size_ = to;
  }
  void transfer(std::size_t i, Column& to, std::size_t cell) override {
    to.emit(cell, &items_[i], true);
  }
  std::size_t bytes() const override { return size_ * sizeof(T); }
  Items<T> take() { return {std::move(items_), size_}; }

 private:
  std::shared_ptr<T[]> items_;
  std::size_t size_;
};

// A column of images or tensors.
class MemoryColumn : public Column {
 public:
  MemoryColumn(std::size_t cells, const ColumnMemory& memory, BatchHistory& history);
  std::byte* place(std::size_t cell, const ValueSpec& spec) override;
  MemoryPlace where(std::size_t cell) const override;
  bool copy_ahead() noexcept override;
  void finish(std::span<const std::uint32_t> kept, std::size_t padding) override;
  void transfer(std::size_t i, Column& to, std::size_t cell) override;
  std::size_t bytes() const override;
  std::shared_ptr<BatchMemory> take() { return std::move(memory_); }

 protected:
  std::shared_ptr<BatchMemory> memory_;

 private:
  std::shared_ptr<BatchMemory> copy_to_device(bool patient);

  const bool in_place_;  // false for a device and unpinned host memory, which it cannot write
  DeviceMemory* const deliver_to_;
  const std::shared_ptr<MemoryResource> given_;  // on the device, for values that are copied there
  std::shared_ptr<BatchMemory> ahead_;           // what copy_ahead() has begun; null: nothing
};

class ImageColumn : public MemoryColumn {
 public:
  using MemoryColumn::MemoryColumn;
  void emit(std::size_t cell, void* value, bool last_use) override;
};

class TensorColumn : public MemoryColumn {
 public:
  using MemoryColumn::MemoryColumn;
  TensorSpec spec(std::size_t cell) const override;
  void emit(std::size_t cell, void* value, bool last_use) override;
};

template <class T>
struct column_of {
  using type = ItemsColumn<T>;
};
template <>
struct column_of<Image> {
  using type = ImageColumn;
};
template <>
struct column_of<Tensor> {
  using type = TensorColumn;
};

template <class T>
class MakerOf : public ColumnMaker {
 public:
  std::unique_ptr<Column> make(std::size_t cells, const ColumnMemory&) override {
    return std::make_unique<ItemsColumn<T>>(cells);
  }
  bool takes_memory() const override { return false; }
  bool copyable() const override { return copies<T>(); }
};

// Makes columns of images or tensors. C is ImageColumn or TensorColumn.
template <class C>
class MemoryMaker : public ColumnMaker {
 public:
  MemoryMaker();
  ~MemoryMaker() override;
  std::unique_ptr<Column> make(std::size_t cells, const ColumnMemory& memory) override;
  bool takes_memory() const override { return true; }
  bool copyable() const override { return true; }
  void expect(const TensorSpec& spec) override;

 private:
  std::unique_ptr<BatchHistory> history_;
};
extern template class MemoryMaker<ImageColumn>;
extern template class MemoryMaker<TensorColumn>;
template <>
class MakerOf<Image> : public MemoryMaker<ImageColumn> {};
template <>
class MakerOf<Tensor> : public MemoryMaker<TensorColumn> {};

}  // namespace detail
}  // namespace sluice
