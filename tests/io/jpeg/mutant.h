// Damages JPEG files in many ways: bits, bytes, tails, markers, segments and tables. For tests and
// for the fuzzer. The input may be any bytes, damaged ones too. Equal bytes and random numbers lead
// to equal damage.
#pragma once

#include <sluice/runtime/random.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

// A segment of the header: its marker, the two bytes of its length, and the bytes that they count.
struct JpegSegment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint8_t marker = 0;
};

// Returns the segments up to the first scan's, as far as they can be parsed.
inline std::vector<JpegSegment> segments_of(std::span<const std::uint8_t> file) {
  constexpr std::uint8_t kStartOfScan = 0xda;
  std::vector<JpegSegment> segments;
  std::size_t at = 2;
  while (at + 4 <= file.size() && file[at] == 0xff) {
    const std::size_t length = std::size_t{file[at + 2]} * 256 + file[at + 3];
    const std::size_t end = at + 2 + length;
    if (length < 2 || end > file.size()) break;
    segments.push_back({at, end, file[at + 1]});
    if (file[at + 1] == kStartOfScan) break;
    at = end;
  }
  return segments;
}

class JpegMutator {
 public:
  JpegMutator(std::span<const std::uint8_t> file, Random& random)
      : bytes_(file.begin(), file.end()), random_(random) {}

  // Does one kind of damage; the rest may be empty.
  void damage() {
    if (bytes_.size() < 4) return;
    static constexpr void (JpegMutator::*kKinds[])() = {
        &JpegMutator::flip_bit,         &JpegMutator::flip_bit_of_scan, &JpegMutator::cut_tail,
        &JpegMutator::put_marker,       &JpegMutator::put_bytes,        &JpegMutator::take_bytes,
        &JpegMutator::swap_runs,        &JpegMutator::swap_segments,    &JpegMutator::swap_tables,
        &JpegMutator::repeat_segment,   &JpegMutator::take_segment,     &JpegMutator::change_header,
        &JpegMutator::ask_for_restarts, &JpegMutator::fill_tail};
    (this->*kKinds[below(std::size(kKinds))])();
  }

  std::vector<std::uint8_t> take() && { return std::move(bytes_); }

 private:
  using Iterator = std::vector<std::uint8_t>::iterator;

  std::size_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }
  Iterator to(std::size_t at) { return bytes_.begin() + static_cast<std::ptrdiff_t>(at); }
  std::uint8_t any_byte() { return static_cast<std::uint8_t>(below(256)); }

  void flip_bit_from(std::size_t begin) {
    std::uint8_t& byte = bytes_[begin + below(bytes_.size() - begin)];
    byte = static_cast<std::uint8_t>(byte ^ (1u << below(8)));
  }
  void flip_bit() { flip_bit_from(0); }
  void flip_bit_of_scan() {
    const auto segments = segments_of(bytes_);
    const std::size_t scan = segments.empty() ? 0 : segments.back().end;
    flip_bit_from(scan < bytes_.size() ? scan : 0);
  }

  void cut_tail() { bytes_.resize(std::max<std::size_t>(below(bytes_.size()), 4)); }

  // Any number of 0xff may precede a marker, but no marker follows here.
  void fill_tail() { std::fill(to(below(bytes_.size())), bytes_.end(), std::uint8_t{0xff}); }

  void put_marker() {
    constexpr std::uint8_t kMarkers[] = {0xd0, 0xd1, 0xd3, 0xd7, 0xd8, 0xd9, 0xda,
                                         0xdd, 0xc4, 0xfe, 0x01, 0x00, 0xff};
    const std::size_t at = below(bytes_.size() - 1);
    bytes_[at] = 0xff;
    bytes_[at + 1] = kMarkers[below(std::size(kMarkers))];
  }

  void put_bytes() {
    const std::size_t at = below(bytes_.size());
    bytes_.insert(to(at), 1 + below(5), any_byte());
  }

  void take_bytes() {
    const std::size_t at = below(bytes_.size());
    bytes_.erase(to(at), to(std::min(at + 1 + below(9), bytes_.size())));
  }

  void swap_runs() {
    const std::size_t half = bytes_.size() / 2;
    const std::size_t size = 1 + below(std::min<std::size_t>(60, half));
    const std::size_t a = below(half - size + 1);
    const std::size_t b = half + below(bytes_.size() - half - size + 1);
    std::swap_ranges(to(a), to(a + size), to(b));
  }

  // Returns two of 0 .. n - 1, in ascending order; n is at least 2.
  std::pair<std::size_t, std::size_t> two_of(std::size_t n) {
    const std::size_t first = below(n - 1);
    return {first, first + 1 + below(n - first - 1)};
  }

  void swap_segments() {
    const auto segments = segments_of(bytes_);
    if (segments.size() < 2) return flip_bit();
    const auto [first, second] = two_of(segments.size());
    const JpegSegment& a = segments[first];
    const JpegSegment& b = segments[second];
    // Moves the second segment to the front, then the part between them before the first.
    std::rotate(to(a.begin), to(b.begin), to(b.end));
    const std::size_t at = a.begin + (b.end - b.begin);
    std::rotate(to(at), to(at + (a.end - a.begin)), to(b.end));
  }

  // Swaps the names of two Huffman or two quantization tables.
  void swap_tables() {
    constexpr std::uint8_t kTables[] = {0xc4, 0xdb};
    const std::uint8_t marker = kTables[below(std::size(kTables))];
    std::vector<std::size_t> names;
    for (const JpegSegment& s : segments_of(bytes_)) {
      if (s.marker == marker && s.end > s.begin + 4) names.push_back(s.begin + 4);
    }
    if (names.size() < 2) return flip_bit();
    const auto [first, second] = two_of(names.size());
    std::swap(bytes_[names[first]], bytes_[names[second]]);
  }

  void repeat_segment() {
    const auto segments = segments_of(bytes_);
    if (segments.empty()) return flip_bit();
    const JpegSegment& s = segments[below(segments.size())];
    const std::vector<std::uint8_t> copy(to(s.begin), to(s.end));
    bytes_.insert(to(segments[below(segments.size())].begin), copy.begin(), copy.end());
  }

  void take_segment() {
    const auto segments = segments_of(bytes_);
    if (segments.empty()) return flip_bit();
    const JpegSegment& s = segments[below(segments.size())];
    bytes_.erase(to(s.begin), to(s.end));
  }

  // Sets a byte of a segment to one that often means something there.
  void change_header() {
    constexpr std::uint8_t kBytes[] = {0, 1, 2, 3, 4, 8, 0x11, 0x12, 0x21, 0x22, 0x41, 0x80, 0xff};
    const auto segments = segments_of(bytes_);
    if (segments.empty()) return flip_bit();
    const JpegSegment& s = segments[below(segments.size())];
    bytes_[s.begin + 1 + below(s.end - s.begin - 1)] = kBytes[below(std::size(kBytes))];
  }

  // Adds a restart interval that the scan may not follow.
  void ask_for_restarts() {
    const auto segments = segments_of(bytes_);
    if (segments.empty()) return flip_bit();
    const std::uint8_t interval[] = {0xff, 0xdd, 0, 4, 0, static_cast<std::uint8_t>(below(20))};
    bytes_.insert(to(segments.back().begin), std::begin(interval), std::end(interval));
  }

  std::vector<std::uint8_t> bytes_;
  Random& random_;
};

// Returns the file with one to three kinds of damage.
inline std::vector<std::uint8_t> jpeg_mutant(std::span<const std::uint8_t> file, Random& random) {
  JpegMutator mutator(file, random);
  for (std::uint32_t times = 1 + random.below(3); times > 0; --times) mutator.damage();
  return std::move(mutator).take();
}

}  // namespace sluice
