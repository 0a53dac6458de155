// Nvjpeg: the part of NVIDIA's nvJPEG that Sluice calls, opened at run time, for versions 11.9 to
// 13; and NvjpegEngines, the JPEG engines of GPUs. nvJPEG's C interface is declared here, so Sluice
// builds without nvjpeg.h and runs without the library. Names are nvJPEG's own, without the prefix
// "nvjpeg".
//
// Ownership: the library stays open until the process ends. NvjpegEngines keeps nvJPEG's states for
// the next batches, because making them is slow. Threads: any; the engines as JpegEngines says.
// Errors: Error, in one sentence.
#pragma once

#include <sluice/runtime/error.h>
#include <sluice/runtime/jpeg_engines.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace sluice::device {

// At most four channels; interleaved pixels are all in the first.
struct NvjpegImage {
  unsigned char* channel[4];
  std::size_t pitch[4];  // bytes from row to row
};

// The decoding backend; the numbers are nvJPEG's.
enum class NvjpegBackend : int {
  best = 0,      // its own default, which uses the host for Huffman codes
  gpu = 2,       // Huffman codes of batches on the GPU's cores
  hardware = 3,  // the JPEG engines of some GPUs
};

struct Nvjpeg {
  // Made and freed by the library. Enumerations are plain ints; status 0 means success.
  using Object = void*;
  using Bytes = const unsigned char*;

  static constexpr int kInterleavedRgb = 5;
  static constexpr int kBaseline = 0xc0, kExtended = 0xc1;  // a file's encoding

  int (*GetProperty)(int which, int* value);
  int (*CreateEx)(int backend, void* device_allocator, void* pinned_allocator, unsigned flags,
                  Object* handle);
  int (*Destroy)(Object handle);
  int (*GetHardwareDecoderInfo)(Object handle, unsigned* engines, unsigned* cores);
  int (*JpegStateCreate)(Object handle, Object* state);
  int (*JpegStateDestroy)(Object state);
  int (*JpegStreamCreate)(Object handle, Object* jpeg);
  int (*JpegStreamDestroy)(Object jpeg);
  int (*JpegStreamParseHeader)(Object handle, Bytes data, std::size_t length, Object jpeg);
  int (*JpegStreamGetFrameDimensions)(Object jpeg, unsigned* width, unsigned* height);
  int (*JpegStreamGetJpegEncoding)(Object jpeg, int* encoding);
  // 0 in `not_supported` means that the engines can decode the file.
  int (*DecodeBatchedSupported)(Object handle, Object jpeg, int* not_supported);
  int (*DecodeBatchedInitialize)(Object handle, Object state, int batch, int max_cpu_threads,
                                 int format);
  int (*DecodeBatched)(Object handle, Object state, const Bytes* data, const std::size_t* lengths,
                       NvjpegImage* destinations, void* cuda_stream);

  std::string version;  // "13.0.1"
};

// `file`: the library; if empty, the newest one that the system finds. Throws Error if there is
// none; the message says what to do.
Nvjpeg open_nvjpeg(const std::string& file = {});

// Returns, for example, "ARCH_MISMATCH (7)".
std::string nvjpeg_status(int status);
// Throws Error if `status` is an error.
void check_nvjpeg(int status, const char* what);

// The JPEG engines of NVIDIA GPUs, used through nvJPEG. They decode baseline and extended 8-bit
// files, always the whole file. If they cannot decode one file, they refuse its whole batch. Damage
// that they do not detect ends up in the image.
class NvjpegEngines : public JpegEngines {
 public:
  // Makes the device CUDA's current one until the returned object is destroyed.
  using MakeCurrent = std::shared_ptr<void> (*)(int device);

  // Throws Error if the device has no engines. `device` is CUDA's current device while a function
  // of the library is called.
  NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current);
  ~NvjpegEngines() override;

  const std::string& name() const override { return name_; }
  bool takes(std::span<const std::uint8_t> file) override;
  std::unique_ptr<Batch> make_batch(Device& device) override;

 private:
  class NvjpegBatch;
  struct State {
    Nvjpeg::Object object = nullptr;
    int batch = 0;  // the number of files that it is initialized for
  };
  struct Opened {  // a handle, and its properties
    Nvjpeg::Object handle = nullptr;
    int engines = 0;
  };
  static Opened open(const Nvjpeg& library, int device, MakeCurrent make_current);
  NvjpegEngines(const Nvjpeg& library, int device, MakeCurrent make_current, const Opened& opened);

  const Nvjpeg library_;
  const int device_;
  const MakeCurrent make_current_;
  const Nvjpeg::Object handle_;
  const std::string name_;
  std::mutex mutex_;
  std::vector<Nvjpeg::Object> headers_;  // not in use now
  std::vector<State> states_;
  std::size_t states_made_ = 0;
};

}  // namespace sluice::device
