// memory_in: a dataset of items in memory, for Graph::read.
//
//   std::vector<Bytes> files = ...;                   // or images, or tensors
//   std::vector<std::int64_t> labels = ...;
//   auto [jpeg, label] = g.read(memory_in(std::move(files), std::move(labels)));
//
// Sample i is a copy of item i, which the receiver may keep and modify, and the i-th values of any
// number of further vectors, of any copyable types.
//
// Ownership: Memory is a small handle on the given vectors. They must own their memory or keep it
// alive for as long; copies of the handle are cheap. Threads: any number at once. Errors:
// BuildError for vectors of different lengths, and for empty ones.
#pragma once

#include <sluice/graph/exec/sample.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/error.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/tensor.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sluice {

template <class T>
concept MemoryItem = std::same_as<T, Bytes> || std::same_as<T, Image> || std::same_as<T, Tensor>;

template <MemoryItem T, class... Columns>
class Memory {
 public:
  explicit Memory(std::vector<T> items, std::vector<Columns>... columns) {
    const std::size_t size = items.size();
    if (size == 0) throw BuildError("memory_in: there are no items");
    (require(size, columns.size()), ...);
    all_ = std::make_shared<const All>(std::move(items), std::move(columns)...);
  }

  std::int64_t size() const { return std::ssize(std::get<0>(*all_)); }
  std::string name(std::int64_t i) const { return "item " + std::to_string(i); }
  std::tuple<T, Columns...> read(std::int64_t i) const {
    return read(static_cast<std::size_t>(i), std::index_sequence_for<Columns...>());
  }

  // For Graph::read.
  std::tuple<T, Columns...> operator()(const SampleInfo& info) const { return read(info.index); }

 private:
  using All = std::tuple<std::vector<T>, std::vector<Columns>...>;

  static void require(std::size_t items, std::size_t others) {
    if (items == others) return;
    throw BuildError("memory_in: all vectors must have the same size (got " +
                     std::to_string(others) + ", expected " + std::to_string(items) +
                     "); pass one value for each item");
  }
  static Bytes copy_of(const Bytes& bytes) { return Bytes::copy_of(bytes); }
  template <class P>
  static P copy_of(const P& pixels) {
    return pixels.clone();
  }
  template <std::size_t... I>
  std::tuple<T, Columns...> read(std::size_t i, std::index_sequence<I...> /*all*/) const {
    return std::tuple<T, Columns...>(copy_of(std::get<0>(*all_).at(i)),
                                     std::get<I + 1>(*all_)[i]...);
  }

  std::shared_ptr<const All> all_;
};

template <MemoryItem T, class... Columns>
Memory<T, Columns...> memory_in(std::vector<T> items, std::vector<Columns>... columns) {
  return Memory<T, Columns...>(std::move(items), std::move(columns)...);
}

}  // namespace sluice
