// WireValues: the values of a message, including its inline bytes. Internal.
//
// Ownership: plain data. Threads: like a vector. Errors: none.
#pragma once

#include <sluice/io/workers/message.h>
#include <sluice/runtime/tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sluice::detail {

class WireValues {
 public:
  static constexpr std::size_t kMostInlineOfAll = kMostMessage / 4;
  static constexpr std::size_t kMostValues = kMostMessage / 2 / sizeof(WireValue);

  // The description of a tensor, without its elements. The rank is -1 for a Tensor
  // that holds nothing, not even a shape.
  static WireValue of(const Tensor& tensor, ValueKind kind) {
    WireValue value;
    value.kind = kind;
    value.rank = tensor.empty() ? -1 : tensor.shape().rank;
    if (tensor.empty()) return value;
    value.dtype = tensor.dtype();
    value.layout = tensor.layout();
    value.dims = tensor.shape().dims;
    value.read_only = tensor.read_only() ? 1 : 0;
    value.bytes = tensor.nbytes();
    return value;
  }

  void add(const WireValue& value) { values_.push_back(value); }
  void add_number(std::uint64_t bits) {
    WireValue value;
    value.offset = bits;
    add(value);
  }
  // Returns false and adds nothing if the message has no room for the elements.
  bool add_inline(WireValue& value, std::span<const std::byte> elements) {
    value.bytes = elements.size();
    if (elements.size() > kMostInline || inline_.size() + elements.size() > kMostInlineOfAll)
      return false;
    value.offset = inline_.size();
    inline_.append(reinterpret_cast<const char*>(elements.data()), elements.size());
    add(value);
    return true;
  }

  const std::vector<WireValue>& values() const { return values_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(values_.size()); }
  void write(MessageWriter& to) const {
    for (const WireValue& value : values_) to.add(value);
    to.add_text(inline_);
  }
  void clear() {
    values_.clear();
    inline_.clear();
  }

 private:
  std::vector<WireValue> values_;
  std::string inline_;
};

}  // namespace sluice::detail
