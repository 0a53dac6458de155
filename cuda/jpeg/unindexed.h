// Decodes the Huffman codes of a JPEG file without a JPEG index, after find_starts.h has found
// where MCUs begin. One thread of a device decodes the MCUs that begin in a subsequence, into
// blocks of coefficients that are all zero at first.
//
// For any input bytes, it reads only bytes of the sample, and writes only blocks of the sample.
// Ownership: refers to its arguments. Errors: it stops and returns false at anything that a sound
// file cannot contain.
#pragma once

#include <sluice/cuda/device_view.h>
#include <sluice/cuda/jpeg/huffman.h>
#include <sluice/cuda/jpeg/job.h>
#include <sluice/cuda/jpeg/plain_bits.h>
#include <sluice/cuda/jpeg/synchronise.h>

#include <cstdint>

namespace sluice::device {

class JpegStartReader {
 public:
  // `coefficients`: of all samples.
  SLUICE_HOST_DEVICE JpegStartReader(const JpegSample& sample, const JpegCodesOfSample& from,
                                     const JpegStart& start, std::int16_t* coefficients)
      : sample_(sample),
        from_(from),
        coefficients_(coefficients),
        bits_(from.bits(start.bit)),
        left_(start.count),
        row_(start.number / sample.unindexed.columns),
        column_(start.number - row_ * sample.unindexed.columns) {
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) predictors_[i] = start.predictors[i];
  }

  // True if any of the MCUs is in a row that is needed.
  SLUICE_HOST_DEVICE static bool wanted(const JpegUnindexed& sample, const JpegStart& start) {
    return start.count > 0 && start.number < sample.bottom * sample.columns &&
           start.number + start.count > sample.top * sample.columns;
  }

  // One loop reads all symbols, as in JpegSegmentReader. Returns false if the codes are damaged.
  SLUICE_HOST_DEVICE bool run() {
    enter_block();
    std::uint32_t k = 0;  // the position of the next coefficient, in zigzag order
    while (left_ > 0) {
      bits_.refill();
      const std::uint32_t table = k == 0 ? block_.dc : block_.ac;
      const std::uint32_t symbol =
          jpeg_symbol(bits_, from_.entries + (table << kJpegLookupBits), from_.codes, table);
      const std::uint32_t size = symbol & 15, zeros = symbol >> 4 & 15;
      if (symbol == 0 || size > (k == 0 ? 11u : 10u)) return false;
      bits_.drop(symbol >> 8);
      std::int32_t value = bits_.number(size);
      bool over = false;
      if (k == 0) {
        value = predict(value);
        if (value < -32768 || value > 32767) return false;
      } else {
        over = size == 0 && zeros != 15;
        k += zeros;
        if (k > 63 && !over) return false;
      }
      if (value != 0 && out_ != nullptr) out_[k] = static_cast<std::int16_t>(value);
      ++k;
      if (k < 64 && !over) continue;
      k = 0;
      next_block();
    }
    return true;
  }

 private:
  SLUICE_HOST_DEVICE std::int32_t predict(std::int32_t difference) {
    std::int32_t value = 0;
    SLUICE_UNROLL for (int i = 0; i < 3; ++i) {
      if (block_.component == i) value = predictors_[i] += difference;
    }
    return value;
  }
  SLUICE_HOST_DEVICE void next_block() {
    if (++number_ == sample_.group_blocks) {
      number_ = 0;
      --left_;
      if (++column_ == sample_.unindexed.columns) {
        column_ = 0;
        // The rows below are not needed.
        if (++row_ >= sample_.unindexed.bottom) left_ = 0;
      }
    }
    enter_block();
  }
  SLUICE_HOST_DEVICE void enter_block() {
    block_ = sample_.group[number_];
    const JpegUnindexed& of = sample_.unindexed;
    const bool kept = row_ >= of.top && row_ < of.bottom && column_ >= of.left &&
                      column_ < of.right && block_.component < sample_.shown;
    out_ =
        kept ? coefficients_ + 64 * (block_.first + std::uint64_t{row_ - of.top} * block_.row_step +
                                     (column_ - of.left) * block_.across)
             : nullptr;
  }

  const JpegSample& sample_;
  const JpegCodesOfSample& from_;
  std::int16_t* const coefficients_;
  JpegPlainBits bits_;
  std::int32_t predictors_[3];
  std::uint32_t left_;          // MCUs
  std::uint32_t row_, column_;  // of the MCU, in the image
  std::uint32_t number_ = 0;    // of the block in the MCU
  JpegGroupBlock block_;
  std::int16_t* out_ = nullptr;  // null for blocks that are not needed
};

}  // namespace sluice::device
