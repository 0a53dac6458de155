#include "benchmarks/workloads/limits.h"

#include <sluice/io/jpeg/decode.h>
#include <sluice/ops/kernels/resize.h>
#include <sluice/ops/kernels/rotate.h>
#include <sluice/runtime/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <jpeglib.h>

namespace sluice::app {
namespace {

// Runs body() on each of `threads` threads. Returns the seconds until the last has ended. Rethrows
// an exception of one of them.
template <class Body>
double time_threads(int threads, Body body) {
  const auto start = std::chrono::steady_clock::now();
  std::mutex mutex;
  std::exception_ptr error;
  const auto guarded_body = [&] {
    try {
      body();
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back(guarded_body);
    } catch (const std::system_error&) {
      throw too_few_threads(threads, static_cast<int>(others.size()) + 1);
    }
    guarded_body();
  }
  if (error) std::rethrow_exception(error);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Every file of a Corpus can be decoded, so an error here is a bug: libjpeg's default handler
// prints it and ends the process. Warnings would only disturb the measurement.
void keep_quiet(j_common_ptr, int) {}

class FullDecoder {
 public:
  FullDecoder() {
    info_.err = jpeg_std_error(&errors_);
    errors_.emit_message = keep_quiet;
    jpeg_create_decompress(&info_);
  }
  FullDecoder(const FullDecoder&) = delete;
  FullDecoder& operator=(const FullDecoder&) = delete;
  ~FullDecoder() { jpeg_destroy_decompress(&info_); }

  void decode(std::span<const std::uint8_t> file) {
    jpeg_mem_src(&info_, file.data(), static_cast<unsigned long>(file.size()));
    (void)jpeg_read_header(&info_, TRUE);
    info_.out_color_space = info_.num_components == 4 ? JCS_CMYK : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    info_.do_fancy_upsampling = TRUE;
    (void)jpeg_start_decompress(&info_);
    const std::size_t stride = static_cast<std::size_t>(info_.output_width) *
                               static_cast<std::size_t>(info_.output_components);
    if (picture_.size() < stride * info_.output_height)
      picture_.resize(stride * info_.output_height);
    while (info_.output_scanline < info_.output_height) {
      std::array<JSAMPROW, 4> rows;  // more than the library produces at once
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t y =
            std::min<std::size_t>(info_.output_scanline + i, info_.output_height - 1);
        rows[i] = picture_.data() + stride * y;
      }
      const JDIMENSION left = info_.output_height - info_.output_scanline;
      (void)jpeg_read_scanlines(&info_, rows.data(), std::min<JDIMENSION>(left, rows.size()));
    }
    (void)jpeg_finish_decompress(&info_);
  }

 private:
  jpeg_decompress_struct info_{};
  jpeg_error_mgr errors_{};
  std::vector<JSAMPLE> picture_;
};

// The random generators of the rotate pipeline, in the order in which it creates them.
constexpr std::uint32_t kAngle = 0, kCoin = 1;
constexpr int kSide = 400;
constexpr std::size_t kPlaceBytes = std::size_t{3} * kSide * kSide;

// A sample's place in a batch.
class Place : public Placer {
 public:
  explicit Place(std::byte* at) : at_(at) {}
  std::byte* place(const ValueSpec& spec) override {
    return spec.bytes() == kPlaceBytes ? at_ : nullptr;
  }

 private:
  std::byte* at_;
};

}  // namespace

Error too_few_threads(int asked, int made) {
  return Error(fmt::format(
      "{} threads were asked for, but the system lets this process make no more than {}", asked,
      made));
}

double run_full_decode(const Corpus& corpus, std::int64_t images, int threads) {
  std::atomic<std::int64_t> next{0};
  return time_threads(threads, [&] {
    FullDecoder decoder;
    for (std::int64_t i = next++; i < images; i = next++) decoder.decode(corpus[i]);
  });
}

void RotateLoop::make(std::int64_t id, Scratch& scratch, Image& out) const {
  const auto draw = [&](std::uint32_t generator) {
    return Random({.seed = seed_,
                   .epoch = 0,
                   .sample = static_cast<std::uint32_t>(id),
                   .generator = generator});
  };
  decode_jpeg_image(corpus_[id], {}, scratch.decoded);
  const Image* picture = &scratch.decoded;
  if (draw(kCoin).unit() < 0.25f) {
    kernels::rotate(scratch.decoded, draw(kAngle).uniform(10.f, 30.f), {.fill = 0}, scratch.turned);
    picture = &scratch.turned;
  }
  kernels::resize(*picture, kSide, kSide, Interpolation::bilinear, out);
}

double RotateLoop::run(std::int64_t images, int threads) const {
  // Three batches, as many as a pipeline has in flight.
  const auto places = 3 * static_cast<std::size_t>(batch_);
  std::vector<std::byte> batches(places * kPlaceBytes);
  std::atomic<std::int64_t> next{0};
  return time_threads(threads, [&] {
    Scratch scratch;
    Image out;
    for (std::int64_t i = next++; i < images; i = next++) {
      Place place(batches.data() + static_cast<std::size_t>(i) % places * kPlaceBytes);
      out.set_placer(&place);
      make(i, scratch, out);
    }
    out.set_placer(nullptr);
  });
}

}  // namespace sluice::app
