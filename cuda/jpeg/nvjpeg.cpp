#include <sluice/cuda/jpeg/nvjpeg.h>

#include <array>
#include <string_view>
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

}  // namespace sluice::device
