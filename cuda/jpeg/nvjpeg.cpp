#include <sluice/cuda/jpeg/nvjpeg.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice::device {

namespace {

// Returns the loader's message about the last call.
std::string loader_words() {
  const char* const words = dlerror();
  return words == nullptr ? "no reason was given" : words;
}

void* open_any(const std::string& file) {
  if (!file.empty()) {
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    throw Error(fmt::format("nvJPEG cannot be opened: {}", loader_words()));
  }
  static const std::vector<const char*> names = {"libnvjpeg.so.13", "libnvjpeg.so.12",
                                                 "libnvjpeg.so.11", "libnvjpeg.so"};
  for (const char* name : names)
    if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  throw Error(fmt::format("nvJPEG is not on this machine: the system finds none of {}; install it",
                          fmt::join(names, ", ")));
}

template <class Function>
void find(void* library, const char* name, Function& into) {
  void* const at = dlsym(library, name);
  if (at == nullptr) throw Error(fmt::format("nvJPEG lacks a function: {}", loader_words()));
  into = reinterpret_cast<Function>(at);
}

}  // namespace

Nvjpeg open_nvjpeg(const std::string& file) {
  void* const library = open_any(file);
  Nvjpeg found{};
  find(library, "nvjpegGetProperty", found.GetProperty);
  find(library, "nvjpegCreateEx", found.CreateEx);
  find(library, "nvjpegDestroy", found.Destroy);
  find(library, "nvjpegGetHardwareDecoderInfo", found.GetHardwareDecoderInfo);
  find(library, "nvjpegJpegStateCreate", found.JpegStateCreate);
  find(library, "nvjpegJpegStateDestroy", found.JpegStateDestroy);
  find(library, "nvjpegJpegStreamCreate", found.JpegStreamCreate);
  find(library, "nvjpegJpegStreamDestroy", found.JpegStreamDestroy);
  find(library, "nvjpegJpegStreamParseHeader", found.JpegStreamParseHeader);
  find(library, "nvjpegJpegStreamGetFrameDimensions", found.JpegStreamGetFrameDimensions);
  find(library, "nvjpegJpegStreamGetJpegEncoding", found.JpegStreamGetJpegEncoding);
  find(library, "nvjpegDecodeBatchedSupported", found.DecodeBatchedSupported);
  find(library, "nvjpegDecodeBatchedInitialize", found.DecodeBatchedInitialize);
  find(library, "nvjpegDecodeBatched", found.DecodeBatched);
  std::array<int, 3> version{};
  int property = 0;
  for (int& part : version) check_nvjpeg(found.GetProperty(property++, &part), "its version");
  found.version = fmt::format("{}", fmt::join(version, "."));
  return found;
}

std::string nvjpeg_status(int status) {
  constexpr std::array<std::string_view, 11> kNames = {"SUCCESS",
                                                       "NOT_INITIALIZED",
                                                       "INVALID_PARAMETER",
                                                       "BAD_JPEG",
                                                       "JPEG_NOT_SUPPORTED",
                                                       "ALLOCATOR_FAILURE",
                                                       "EXECUTION_FAILED",
                                                       "ARCH_MISMATCH",
                                                       "INTERNAL_ERROR",
                                                       "IMPLEMENTATION_NOT_SUPPORTED",
                                                       "INCOMPLETE_BITSTREAM"};
  const auto i = static_cast<std::size_t>(status);
  return fmt::format("{} ({})", status >= 0 && i < kNames.size() ? kNames[i] : "an unknown status",
                     status);
}

void check_nvjpeg(int status, const char* what) {
  if (status != 0) throw Error(fmt::format("nvJPEG: {}: {}", what, nvjpeg_status(status)));
}

namespace {

// Enough to keep all engines busy. More files waiting for them would make GPU batches take longer.
constexpr int kPlacesOfAnEngine = 4;

}  // namespace

// Holds a state as long as the batch lives.
class NvjpegEngines::NvjpegBatch : public JpegEngines::Batch {
 public:
  NvjpegBatch(NvjpegEngines& engines, Device& device, const State& state)
      : Batch(device), engines_(engines), state_(state) {}
  ~NvjpegBatch() override {
    const std::lock_guard lock(engines_.mutex_);
    engines_.states_.push_back(state_);  // has room: see make_batch()
  }

 private:
  bool decode(DeviceStream& stream, std::span<const File> files) override {
    data_.clear(), lengths_.clear(), images_.clear();
    for (const File& file : files) {
      data_.push_back(file.bytes.data());
      lengths_.push_back(file.bytes.size());
      NvjpegImage image{};
      image.channel[0] = file.pixels;
      image.pitch[0] = static_cast<std::size_t>(file.stride);
      images_.push_back(image);
    }
    const auto count = static_cast<int>(files.size());
    const std::shared_ptr<void> current = engines_.make_current_(engines_.device_);
    const Nvjpeg& library = engines_.library_;
    int status = 0;
    if (state_.batch != count) {
      status = library.DecodeBatchedInitialize(engines_.handle_, state_.object, count, 1,
                                               Nvjpeg::kInterleavedRgb);
    }
    if (status == 0) {
      status = library.DecodeBatched(engines_.handle_, state_.object, data_.data(), lengths_.data(),
                                     images_.data(), stream.native());
    }
    state_.batch = status == 0 ? count : 0;  // after a failure it must be initialized again
    engines_.note(status != 0);
    return status == 0;
  }

  NvjpegEngines& engines_;
  State state_;
  std::vector<Nvjpeg::Bytes> data_;
  std::vector<std::size_t> lengths_;
  std::vector<NvjpegImage> images_;
};

NvjpegEngines::Opened NvjpegEngines::open(const Nvjpeg& library, int device,
                                          MakeCurrent make_current) {
  const std::shared_ptr<void> current = make_current(device);
  Opened opened;
  check_nvjpeg(library.CreateEx(static_cast<int>(NvjpegBackend::hardware), nullptr, nullptr, 0,
                                &opened.handle),
               "the GPU's JPEG engines");
  unsigned engines = 0, cores = 0;
  (void)library.GetHardwareDecoderInfo(opened.handle, &engines, &cores);
  opened.engines = static_cast<int>(std::clamp(engines * std::max(cores, 1u), 1u, 64u));
  return opened;
}

NvjpegEngines::NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current)
    : NvjpegEngines(library, device, make_current, open(library, device, make_current)) {}

NvjpegEngines::NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current,
                             const Opened& opened)
    : JpegEngines(kPlacesOfAnEngine * opened.engines),
      library_(library),
      device_(device),
      make_current_(make_current),
      handle_(opened.handle),
      name_(fmt::format("{} JPEG engines, nvJPEG {}", opened.engines, library.version)) {}

NvjpegEngines::~NvjpegEngines() {
  const std::shared_ptr<void> current = make_current_(device_);
  for (const Nvjpeg::Object header : headers_) (void)library_.JpegStreamDestroy(header);
  for (const State& state : states_) (void)library_.JpegStateDestroy(state.object);
  (void)library_.Destroy(handle_);
}

bool NvjpegEngines::takes(std::span<const std::uint8_t> file) {
  Nvjpeg::Object header = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!headers_.empty()) {
      header = headers_.back();
      headers_.pop_back();
    }
  }
  const std::shared_ptr<void> current = make_current_(device_);
  if (header == nullptr && library_.JpegStreamCreate(handle_, &header) != 0) return false;
  int encoding = 0, not_supported = 0;
  const bool taken =
      library_.JpegStreamParseHeader(handle_, file.data(), file.size(), header) == 0 &&
      library_.JpegStreamGetJpegEncoding(header, &encoding) == 0 &&
      (encoding == Nvjpeg::kBaseline || encoding == Nvjpeg::kExtended) &&
      library_.DecodeBatchedSupported(handle_, header, &not_supported) == 0 && not_supported == 0;
  const std::lock_guard lock(mutex_);
  headers_.push_back(header);
  return taken;
}

std::unique_ptr<JpegEngines::Batch> NvjpegEngines::make_batch(Device& device) {
  State state;
  {
    const std::lock_guard lock(mutex_);
    if (!states_.empty()) {
      state = states_.back();
      states_.pop_back();
    }
    if (state.object == nullptr) states_.reserve(++states_made_);  // so that all can be returned
  }
  if (state.object == nullptr) {
    const std::shared_ptr<void> current = make_current_(device_);
    const int status = library_.JpegStateCreate(handle_, &state.object);
    if (status != 0) note(true);  // counts like a refused batch
    check_nvjpeg(status, "making a decoder's state");
  }
  try {
    return std::make_unique<NvjpegBatch>(*this, device, state);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    states_.push_back(state);
    throw;
  }
}

}  // namespace sluice::device
