// Packed JPEGs for tests of the device's decoder: makes them, changes them, and decodes them in a
// pipeline.
#pragma once

#include "tests/cuda/jpeg/test_files.h"
#include "tests/cuda/test_device.h"
#include <sluice/graph/pipeline.h>
#include <sluice/io/packs/pack_jpeg.h>
#include <sluice/io/packs/packed_jpeg.h>
#include <sluice/ops/decode.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::device {

using Span = std::span<const std::uint8_t>;

inline File dictionary_of(const std::vector<File>& files) {
  PackTokenLearner learner;
  for (const File& file : files) {
    const auto coefficients = JpegCoefficients::read(file);
    if (coefficients) coefficients->teach(learner);
  }
  return learner.learn();
}

// Two dictionaries: one for fine images, and one for coarse ones.
inline const File& dictionary(std::size_t number) {
  static const File all[] = {
      dictionary_of({encode_test_jpeg(kSamplings[0], 200, 300, 95, 0, 1, false),
                     encode_test_jpeg(kSamplings[2], 200, 300, 90, 0, 2, false)}),
      dictionary_of({encode_test_jpeg(kSamplings[2], 120, 200, 40, 0, 3, false)})};
  return all[number % 2];
}

inline File packed(const File& file, const File& with) {
  return pack_jpeg(*JpegCoefficients::read(file), with);
}

// A packed JPEG, and where its parts are. The parts can be changed: seal() corrects all checksums.
struct Parts {
  explicit Parts(File pack) : bytes(std::move(pack)) {
    PackedJpeg head;
    head.open(bytes);
    dictionary = {PackedJpegParts::kPrefixBytes,
                  PackedJpegParts::kPrefixBytes + head.dictionary().size()};
    rows = head.rows();
    segments = head.segments_per_row();
    header = dictionary.end + PackedJpegParts::kFixedBytes;
    table = header + head.header().size();
    data = head.range_of_rows(0, rows - 1);
    for (std::uint32_t row = 0; row < rows; ++row) ranges.push_back(head.range_of_rows(row, row));
  }
  std::size_t entry(std::uint32_t row) const { return table + row * (4 + 2 * segments); }
  // The place where the size of a segment is.
  std::size_t size_at(std::uint32_t row, std::uint32_t number) const {
    return entry(row) + 4 + 2 * number;
  }
  void set_segment_bytes(std::uint32_t row, std::uint32_t number, std::size_t size) {
    const auto two = static_cast<std::uint16_t>(size);
    std::memcpy(&bytes[size_at(row, number)], &two, sizeof two);
  }
  std::size_t segment_bytes(std::uint32_t row, std::uint32_t number) const {
    std::uint16_t two = 0;
    std::memcpy(&two, &bytes[size_at(row, number)], sizeof two);
    return two;
  }
  void set_dictionary(const File& other) {
    File with = begin_of_packed_jpegs(other);
    const std::size_t end = with.size();
    with.insert(with.end(), bytes.begin() + static_cast<std::ptrdiff_t>(dictionary.end),
                bytes.end());
    const auto move = [this, end](std::size_t& at) { at = at - dictionary.end + end; };
    for (ByteRange& range : ranges) {
      move(range.begin);
      move(range.end);
    }
    for (std::size_t* at : {&header, &table, &data.begin, &data.end, &dictionary.end}) move(*at);
    bytes = std::move(with);
    seal();
  }
  void seal() {
    for (std::uint32_t row = 0; row < rows; ++row) {
      const ByteRange& range = ranges[row];
      const std::uint32_t sum =
          checksum_of_packed_row(Span(bytes).subspan(range.begin, range.size()));
      std::memcpy(&bytes[entry(row)], &sum, sizeof sum);
    }
    const std::uint64_t tokens =
        checksum_of_dictionary(Span(bytes).subspan(dictionary.begin, dictionary.size()));
    std::memcpy(&bytes[dictionary.end + 24], &tokens, sizeof tokens);
    const std::uint64_t head =
        checksum_of_packed_head(Span(bytes).subspan(dictionary.end, data.begin - dictionary.end));
    std::memcpy(&bytes[dictionary.end + 32], &head, sizeof head);
  }

  File bytes;
  ByteRange dictionary, data;
  std::vector<ByteRange> ranges;  // of the rows
  std::size_t header = 0, table = 0, segments = 0;
  std::uint32_t rows = 0;
};

// Decodes each of `packs` in a pipeline. Returns the images, and all errors as text.
struct Outcomes {
  std::vector<std::int64_t> ids;
  std::vector<Image> images;
  std::vector<std::string> errors;
  std::int64_t on_device = 0, packed = 0;
};
inline Outcomes decode_all(std::size_t count, bool moves,
                           const std::function<Value<Bytes>(Graph&)>& read,
                           const std::optional<Rectangle>& region, int batch_size = 4) {
  PipelineOptions options{.batch_size = batch_size, .threads = 2, .on_error = OnError::skip};
  options.profile = true;
  if (moves) options.device = test_device();
  auto pipeline = make_pipeline(options, [&](Graph& g) {
    auto file = read(g);
    if (moves) file = file.gpu();
    auto image = region ? decode_jpeg(file, *region) : decode_jpeg(file);
    return moves ? image.cpu() : image;
  });
  Outcomes out;
  for (const auto& batch : pipeline.epoch()) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      out.ids.push_back(batch.ids()[i]);
      out.images.push_back(batch.get<0>()[i].clone());
    }
    for (const SampleError& error : batch.errors()) out.errors.push_back(to_string(error));
  }
  for (const EventStats& event : pipeline.stats().events) {
    out.on_device += event.name == "on_device" ? event.count : 0;
    out.packed += event.name == "packed" ? event.count : 0;
  }
  std::sort(out.errors.begin(), out.errors.end());
  EXPECT_EQ(out.ids.size() + out.errors.size(), count);
  return out;
}

inline void expect_equal(const Outcomes& found, const Outcomes& expected) {
  EXPECT_EQ(found.ids, expected.ids);
  EXPECT_EQ(found.errors, expected.errors);
  ASSERT_EQ(found.images.size(), expected.images.size());
  for (std::size_t i = 0; i < found.images.size(); ++i)
    EXPECT_TRUE(found.images[i] == expected.images[i]) << i;
}

}  // namespace sluice::device
