#include "benchmarks/bench/nvjpeg_baseline.h"

#include "apps/usage.h"
#include <sluice/io/jpeg/decode.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sluice::app {
namespace {

using device::check_nvjpeg;
using device::NvjpegBackend;
using device::NvjpegImage;

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSlots = 3;
constexpr std::array<int, 5> kBatches = {16, 32, 64, 128, 256};
// The limit for the images of all slots; the smallest batch size may exceed it.
constexpr std::size_t kMostBytes = std::size_t{2} << 30;
constexpr std::size_t kAligned = 256;

using Object = std::unique_ptr<void, int (*)(void*)>;

template <class Make>
Object make_object(const char* what, Make make, int (*destroy)(void*)) {
  void* made = nullptr;
  check_nvjpeg(make(&made), what);
  return {made, destroy};
}

using Block = std::unique_ptr<std::byte, std::function<void(std::byte*)>>;

Block make_block(const std::shared_ptr<MemoryResource>& from, std::size_t bytes) {
  return {static_cast<std::byte*>(from->allocate(bytes, kAligned)),
          [from, bytes](std::byte* at) { from->deallocate(at, bytes, kAligned); }};
}

struct File {
  std::span<const std::uint8_t> bytes;
  unsigned width = 0, height = 0;
  std::size_t pixel_bytes() const { return std::size_t{3} * width * height; }
  std::size_t place_bytes() const { return (pixel_bytes() + kAligned - 1) / kAligned * kAligned; }
};

NvjpegImage image_at(std::byte* at, const File& file) {
  NvjpegImage image{};
  image.channel[0] = reinterpret_cast<unsigned char*>(at);
  image.pitch[0] = std::size_t{3} * file.width;
  return image;
}

// True if it is the file's image, up to the differences between decoders: the inverse DCT, and the
// upsampling of chroma.
bool same_image(const std::byte* theirs, const File& file) {
  constexpr std::int64_t kMeanDifference = 16;
  Image ours;
  decode_jpeg_image(file.bytes, {.apply_orientation = false}, ours);
  if (ours.width() != static_cast<int>(file.width) ||
      ours.height() != static_cast<int>(file.height) || ours.channels() != 3) {
    return false;
  }
  const auto* const at = reinterpret_cast<const std::uint8_t*>(theirs);
  const std::size_t row_bytes = std::size_t{3} * file.width;
  std::int64_t sum = 0;
  for (std::size_t y = 0; y < file.height; ++y) {
    const std::uint8_t* const row = ours.row(static_cast<int>(y));
    for (std::size_t x = 0; x < row_bytes; ++x) sum += std::abs(row[x] - at[y * row_bytes + x]);
  }
  return sum <= kMeanDifference * static_cast<std::int64_t>(file.pixel_bytes());
}

const char* name_of(NvjpegBackend backend) {
  switch (backend) {
    case NvjpegBackend::hardware:
      return "JPEG engines";
    case NvjpegBackend::gpu:
      return "the GPU's cores";
    default:
      return "the host and the GPU's cores";
  }
}

// Decodes with one backend.
class Ring : public NvjpegBaseline {
 public:
  Ring(const Nvjpeg& library, NvjpegBackend backend, std::shared_ptr<Device> device, int threads)
      : library_(library),
        backend_(backend),
        device_(std::move(device)),
        threads_(threads),
        handle_(make_object(
            "making a decoder",
            [&](void** made) {
              return library_.CreateEx(static_cast<int>(backend), nullptr, nullptr, 0, made);
            },
            library_.Destroy)) {
    for (std::size_t i = 0; i < kSlots; ++i) {
      slots_.push_back(
          {device_->make_stream(), device_->make_event(),
           make_object(
               "making a decoder's state",
               [&](void** made) { return library_.JpegStateCreate(handle_.get(), made); },
               library_.JpegStateDestroy)});
    }
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() override {
    try {
      for (Slot& slot : slots_) slot.stream->record(*slot.over);
      drain();
    } catch (const std::exception&) {  // the device is lost: nothing uses the memory any more
    }
  }

  void prepare(const Corpus& corpus) {
    look_at(corpus);
    choose_batch();
  }

  double run(std::int64_t images) override {
    const auto start = Clock::now();
    std::int64_t done = 0;
    for (; done < images; done += batch_) {
      Slot& slot = slots_[turn_++ % kSlots];
      wait(slot);
      const std::size_t first = next_;
      next_ = (next_ + static_cast<std::size_t>(batch_)) % files_.size();
      check_nvjpeg(decode(slot, first, batch_), "decoding a batch");
      slot.stream->record(*slot.over);
    }
    drain();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return seconds * static_cast<double>(images) / static_cast<double>(done);
  }
  double images_per_second() const override { return rate_; }

  std::string words() const {
    return fmt::format("nvJPEG {} on {}: {:.0f} images/s in batches of {}, {} not decoded",
                       library_.version, way(), rate_, batch_, counted(not_decoded_, "file"));
  }
  NvjpegFacts facts() const override {
    return {.version = library_.version,
            .decodes_on = way(),
            .batch = batch_,
            .files = static_cast<std::int64_t>(files_.size()),
            .files_not_decoded = static_cast<std::int64_t>(not_decoded_)};
  }

 private:
  struct Slot {
    std::unique_ptr<DeviceStream> stream;
    std::unique_ptr<DeviceEvent> over;  // the last work in the stream
    Object state;
    Block memory = {};
    // The current batch.
    std::vector<Nvjpeg::Bytes> data = {};
    std::vector<std::size_t> lengths = {};
    std::vector<NvjpegImage> images = {};
  };

  std::string way() const {
    if (backend_ != NvjpegBackend::hardware) return name_of(backend_);
    unsigned engines = 0, cores = 0;
    (void)library_.GetHardwareDecoderInfo(handle_.get(), &engines, &cores);
    return fmt::format("{} {}", engines * std::max(cores, 1u), name_of(backend_));
  }

  static void wait(Slot& slot) {
    while (!slot.over->over()) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  void drain() {
    for (Slot& slot : slots_) wait(slot);
  }

  // Decodes `batch` files, beginning with file `first`, one after the other into the slot's memory.
  int decode(Slot& slot, std::size_t first, int batch) {
    slot.data.clear(), slot.lengths.clear(), slot.images.clear();
    std::byte* at = slot.memory.get();
    for (std::size_t i = first; i < first + static_cast<std::size_t>(batch); ++i) {
      const File& file = files_[i % files_.size()];
      slot.data.push_back(file.bytes.data());
      slot.lengths.push_back(file.bytes.size());
      slot.images.push_back(image_at(at, file));
      at += file.place_bytes();
    }
    return library_.DecodeBatched(handle_.get(), slot.state.get(), slot.data.data(),
                                  slot.lengths.data(), slot.images.data(), slot.stream->native());
  }

  // Finds the files that it decodes.
  void look_at(const Corpus& corpus) {
    const Object header = make_object(
        "making a header",
        [&](void** made) { return library_.JpegStreamCreate(handle_.get(), made); },
        library_.JpegStreamDestroy);
    for (std::int64_t i = 0; i < corpus.size(); ++i) {
      File file{corpus[i]};
      if (takes(file, header.get())) files_.push_back(file);
    }
    std::vector<File> good;
    bool ready = false;  // after a failed batch, states must be initialized again
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!ready) set_batch(1);
      ready = gives_images(i);
      if (ready) good.push_back(files_[i]);
    }
    files_ = std::move(good);
    not_decoded_ = static_cast<std::size_t>(corpus.size()) - files_.size();
    if (files_.empty()) throw Error("nvJPEG decodes none of the files");
  }

  // Checks the file's header, and stores its size.
  bool takes(File& file, void* header) {
    int encoding = 0, not_supported = 0;
    if (library_.JpegStreamParseHeader(handle_.get(), file.bytes.data(), file.bytes.size(),
                                       header) != 0 ||
        library_.JpegStreamGetFrameDimensions(header, &file.width, &file.height) != 0 ||
        library_.JpegStreamGetJpegEncoding(header, &encoding) != 0) {
      return false;
    }
    if (encoding != Nvjpeg::kBaseline && encoding != Nvjpeg::kExtended) return false;
    return backend_ != NvjpegBackend::hardware ||
           (library_.DecodeBatchedSupported(handle_.get(), header, &not_supported) == 0 &&
            not_supported == 0);
  }

  // True if a batch from file `first` on produces all its images. The memory is cleared first.
  bool gives_images(std::size_t first) {
    Slot& slot = slots_.front();
    slot.stream->fill(slot.memory.get(), 0, bytes_of(batch_));
    finish(slot);
    const int status = decode(slot, first, batch_);
    finish(slot);
    const Block host = make_block(device_->pinned(), bytes_of(1));
    bool all = status == 0;
    for (std::size_t i = 0; i < slot.images.size() && all; ++i) {
      const File& file = files_[(first + i) % files_.size()];
      slot.stream->copy(host.get(), slot.images[i].channel[0], file.pixel_bytes());
      finish(slot);
      all = same_image(host.get(), file);
    }
    return all;
  }
  static void finish(Slot& slot) {
    slot.stream->record(*slot.over);
    wait(slot);
  }

  // Returns the memory for the images of any `batch` consecutive files.
  std::size_t bytes_of(int batch) const {
    std::size_t most = 0, sum = 0;
    const auto count = static_cast<std::size_t>(batch);
    for (std::size_t i = 0; i < files_.size() + count; ++i) {
      sum += files_[i % files_.size()].place_bytes();
      if (i >= count) sum -= files_[(i - count) % files_.size()].place_bytes();
      most = std::max(most, sum);
    }
    return most;
  }

  void set_batch(int batch) {
    drain();
    for (Slot& slot : slots_) slot.memory.reset();
    batch_ = batch;
    for (Slot& slot : slots_) {
      slot.memory = make_block(device_->memory(), bytes_of(batch));
      check_nvjpeg(library_.DecodeBatchedInitialize(handle_.get(), slot.state.get(), batch,
                                                    threads_, Nvjpeg::kInterleavedRgb),
                   "making ready for a batch");
    }
  }

  // Chooses the fastest batch size that produces all images.
  void choose_batch() {
    int best = 0;
    for (const int batch : kBatches) {
      if (batch != kBatches.front() && kSlots * bytes_of(batch) > kMostBytes) break;
      set_batch(batch);
      if (!gives_images(0)) continue;
      const std::int64_t round = static_cast<std::int64_t>(kSlots) * batch;
      (void)run(round);  // allocates its memory
      const double rate = static_cast<double>(4 * round) / run(4 * round);
      if (rate > rate_) {
        rate_ = rate;
        best = batch;
      }
    }
    if (best == 0) throw Error("nvJPEG loses images of batches");
    set_batch(best);
  }

  const Nvjpeg library_;
  const NvjpegBackend backend_;
  const std::shared_ptr<Device> device_;
  const int threads_;
  const Object handle_;
  std::vector<Slot> slots_;
  std::vector<File> files_;
  std::size_t not_decoded_ = 0;
  int batch_ = 0;
  double rate_ = 0;
  std::size_t turn_ = 0, next_ = 0;  // the next slot, and the next file
};

}  // namespace

std::unique_ptr<NvjpegBaseline> make_nvjpeg_baseline(const Nvjpeg& library, const Corpus& corpus,
                                                     const std::shared_ptr<Device>& device,
                                                     int threads, std::FILE* out) {
  if (device->index() != 0) {
    throw Error(
        "nvJPEG is timed on device 0 only; say with CUDA_VISIBLE_DEVICES which GPU that is");
  }
  std::unique_ptr<NvjpegBaseline> best;
  for (const NvjpegBackend backend :
       {NvjpegBackend::hardware, NvjpegBackend::gpu, NvjpegBackend::best}) {
    if (backend == NvjpegBackend::best && best != nullptr) break;  // only if nothing else runs
    const auto cannot = [&](const std::exception& e) {
      fmt::print(out, "nvJPEG {} does not run on {}: {}\n", library.version, name_of(backend),
                 e.what());
    };
    try {
      auto ring = std::make_unique<Ring>(library, backend, device, threads);
      ring->prepare(corpus);
      fmt::print(out, "{}\n", ring->words());
      if (best == nullptr || ring->images_per_second() > best->images_per_second())
        best = std::move(ring);
    } catch (const DeviceError& e) {
      if (e.device_lost()) throw;
      cannot(e);
    } catch (const std::exception& e) {
      cannot(e);
    }
  }
  if (best == nullptr) throw Error("it does not run here");
  return best;
}

}  // namespace sluice::app
