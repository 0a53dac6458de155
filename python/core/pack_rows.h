// PackRow: a sample of packs, for its columns. Packs on a disk and at URLs share it.
#pragma once

#include "dynamic_source.h"
#include <sluice/io/readers/csv_cell.h>
#include <sluice/runtime/bytes.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sluice::python {

template <class Samples>
struct PackRow {
  const Samples& samples;
  std::int64_t index = 0;
};

// Columns of type bytes are the text of the column.
template <class Samples>
std::vector<ReadColumn<const PackRow<Samples>>> readers_of_packs(const Tables& types) {
  return readers_of<const PackRow<Samples>>(
      types,
      []<class T>(const PackRow<Samples>& row, std::size_t column, std::type_identity<T>) -> T {
        if constexpr (CellType<T>) {
          return row.samples.template get<T>(row.index, column);
        } else {
          const auto text = row.samples.template get<std::string>(row.index, column);
          return Bytes::copy_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
        }
      });
}

}  // namespace sluice::python
