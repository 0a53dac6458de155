// Batch<Ts...>: a batch that a pipeline delivers, with one column for each output. Structured
// bindings unpack the columns: `const auto& [images, labels] = batch`.
//
// Ownership: a batch owns its memory and outlives the pipeline. It moves, but does not copy. Its
// columns of images and tensors can be copied out of it, as handles on the same memory. A batch
// that is default-constructed or moved from is empty, and so are its columns. Columns whose values
// were on a device at the end of the pipeline are in that device's memory: see detail::MemoryBatch,
// in column.h, for wait_on(), wait() and release_after() of one column. Threads: like a vector.
// Errors: index() and epoch() of an empty batch throw Error.
#pragma once

#include <sluice/graph/exec/column.h>
#include <sluice/graph/exec/engine.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sluice {

template <class... Ts>
class Batch {
 public:
  Batch() = default;
  explicit Batch(std::unique_ptr<detail::BatchData> data)
      : columns_(take(*data, std::index_sequence_for<Ts...>())), data_(std::move(data)) {
    data_->columns.clear();
  }

  // The column of output I: ImageBatch, TensorBatch, or Items<T>.
  template <std::size_t I>
  const auto& get() const {
    return std::get<I>(columns_);
  }
  template <std::size_t I>
  auto& get() {
    return std::get<I>(columns_);
  }

  // The number of samples, padding included.
  std::size_t size() const { return data().ids.size() + data().padding; }
  // The number of the batch in its epoch.
  std::int64_t index() const { return detail::require_batch(data_.get()).index; }
  std::int64_t epoch() const { return detail::require_batch(data_.get()).epoch; }
  // The position in the epoch of each sample without padding.
  const std::vector<std::int64_t>& ids() const { return data().ids; }
  // The key of each sample without padding. For a replacement sample, its own key: see SampleKey.
  const std::vector<SampleKey>& keys() const { return data().keys; }
  // Samples that failed or were dropped by a filter, in order of ids.
  const std::vector<std::int64_t>& missing() const { return data().missing; }
  // Samples that failed and were replaced by another one.
  const std::vector<std::int64_t>& replaced() const { return data().replaced; }
  // The errors of all failed samples, missing or replaced, in order of ids.
  const std::vector<SampleError>& errors() const { return data().errors; }
  // Problems that steps reported about samples in the batch, such as a damaged image that the
  // pipeline keeps. In order of ids(). For a replacement sample, the key and `source` are its own.
  const std::vector<SampleError>& warnings() const { return data().warnings; }
  // The number of repetitions of the last sample at the end of the batch.
  std::size_t padding() const { return data().padding; }

  // These three act on all columns of images and tensors.
  void wait_on(void* stream) const {
    for_each_memory([&](const detail::MemoryBatch& column) { column.wait_on(stream); });
  }
  void wait() const {
    for_each_memory([](const detail::MemoryBatch& column) { column.wait(); });
  }
  void release_after(void* stream) const {
    for_each_memory([&](const detail::MemoryBatch& column) { column.release_after(stream); });
  }

 private:
  const detail::BatchData& data() const { return data_ == nullptr ? detail::no_batch() : *data_; }
  template <class F>
  void for_each_memory(const F& f) const {
    std::apply(
        [&](const auto&... columns) {
          const auto one = [&]([[maybe_unused]] const auto& column) {
            if constexpr (std::is_convertible_v<decltype(column), const detail::MemoryBatch&>)
              f(column);
          };
          (one(columns), ...);
        },
        columns_);
  }
  template <class T>
  static batch_of_t<T> take_column(detail::Column& column) {
    using C = typename detail::column_of<T>::type;
    return batch_of_t<T>(static_cast<C&>(column).take());
  }
  template <std::size_t... I>
  static std::tuple<batch_of_t<Ts>...> take(detail::BatchData& data, std::index_sequence<I...>) {
    return {take_column<Ts>(*data.columns[I])...};
  }

  std::tuple<batch_of_t<Ts>...> columns_;
  std::unique_ptr<detail::BatchData> data_;
};

}  // namespace sluice

template <class... Ts>
struct std::tuple_size<sluice::Batch<Ts...>> : std::integral_constant<std::size_t, sizeof...(Ts)> {
};
template <std::size_t I, class... Ts>
struct std::tuple_element<I, sluice::Batch<Ts...>> {
  using type = sluice::batch_of_t<std::tuple_element_t<I, std::tuple<Ts...>>>;
};
