// JpegEngines: a device's dedicated JPEG decoders, which leave its cores free. Their pixels are
// close to those of the host's decoder, but not the same.
//
// Files are decoded in batches. A batch has its own stream, so that the device's cores work
// meanwhile. The number of files in the engines is bounded: files that find no place go to other
// decoders.
//
// Ownership: the caller of make_batch() owns the batch; the engines and their device outlive it.
// Files and pixels must live until the work in a joined stream is over, or abandon() has returned.
// Threads: any; a batch, one at a time. Errors: DeviceError.
#pragma once

#include <sluice/runtime/device.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace sluice {

class JpegEngines {
 public:
  struct File {
    std::span<const std::uint8_t> bytes;
    // Device memory for the whole image as it is stored, in RGB. No other work uses it meanwhile.
    std::uint8_t* pixels = nullptr;
    std::ptrdiff_t stride = 0;  // bytes from row to row
    std::int32_t height = 0, width = 0;
  };

  class Batch {
   public:
    explicit Batch(Device& device) : stream_(device.make_stream()), over_(device.make_event()) {}
    virtual ~Batch() = default;
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    // Starts to decode all files; those before must be over. Returns false if the engines reject a
    // file: then the pixels of all files are undefined.
    bool start(std::span<const File> files);
    // Work put into the stream from now on starts when the files are decoded.
    void join(DeviceStream& stream) { stream.wait(*over_); }
    // If no stream can join: waits until the engines are done, or the device is lost.
    void abandon() noexcept;

   private:
    virtual bool decode(DeviceStream& stream, std::span<const File> files) = 0;

    const std::unique_ptr<DeviceStream> stream_;
    const std::unique_ptr<DeviceEvent> over_;
  };

  // `places`: the number of files at a time.
  explicit JpegEngines(int places) : places_(places) {}
  virtual ~JpegEngines() = default;
  JpegEngines(const JpegEngines&) = delete;
  JpegEngines& operator=(const JpegEngines&) = delete;

  // "7 JPEG engines, nvJPEG 13.0.1".
  virtual const std::string& name() const = 0;
  // True if the engines accept the file, judging by its header, which is that of a JPEG file.
  virtual bool takes(std::span<const std::uint8_t> file) = 0;
  virtual std::unique_ptr<Batch> make_batch(Device& device) = 0;

  // True if there seems to be a place for a file. Engines that reject several batches in a row have
  // none any more.
  bool has_room() const noexcept;
  // Takes a place for one file. Returns false if there is none, or if another caller is filling a
  // batch: only one does at a time, from its first place until filled(). leave() returns the
  // places.
  bool enter(const void* who) noexcept;
  void filled(const void* who) noexcept;
  void leave(int files) noexcept { under_way_.fetch_sub(files, std::memory_order_relaxed); }

 protected:
  // Records whether a batch was rejected.
  void note(bool refused) noexcept;

 private:
  const int places_;
  std::atomic<const void*> fills_{nullptr};  // the caller that fills a batch, or null
  std::atomic<int> under_way_{0};
  std::atomic<int> refusals_{0};  // in a row
};

}  // namespace sluice
