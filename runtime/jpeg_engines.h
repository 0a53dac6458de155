// JpegEngines: decoders of JPEG files that a device has beside its cores, which it leaves free.
// Their pixels are near those of the host's decoder, and not the same.
//
// Files go there in batches. A batch has a stream of its own, so that the device's cores work
// meanwhile. How many files may be with the engines at a time is bounded: what finds no place is
// for other decoders.
//
// Ownership: batches belong to whoever makes them; the engines and their device outlive those.
// Files and pixels must live until what a stream has joined is over, or abandon() has returned.
// Threads: any; a batch by one at a time. Errors: DeviceError.
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
    // Device memory for the whole picture as it is stored, in RGB; nothing else is under way there.
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
    // Begins with all of them; those before are over. False: the engines refuse one of them,
    // and nothing is known of the pixels of any.
    bool start(std::span<const File> files);
    // What is put into the stream from now on begins when the files are decoded.
    void join(DeviceStream& stream) { stream.wait(*over_); }
    // Where no stream can join: waits until the engines are through, or the device is lost.
    void abandon() noexcept;

   private:
    virtual bool decode(DeviceStream& stream, std::span<const File> files) = 0;

    const std::unique_ptr<DeviceStream> stream_;
    const std::unique_ptr<DeviceEvent> over_;
  };

  // `places`: for files at a time.
  explicit JpegEngines(int places) : places_(places) {}
  virtual ~JpegEngines() = default;
  JpegEngines(const JpegEngines&) = delete;
  JpegEngines& operator=(const JpegEngines&) = delete;

  // "7 JPEG engines, nvJPEG 13.0.1".
  virtual const std::string& name() const = 0;
  // By the file's header, which is that of a JPEG file.
  virtual bool takes(std::span<const std::uint8_t> file) = 0;
  virtual std::unique_ptr<Batch> make_batch(Device& device) = 0;

  // Whether there seems to be a place for a file. Engines that refuse one batch after the other
  // have none any more.
  bool has_room() const noexcept;
  // A place for one file; false when there is none, or somebody else fills a batch: one at a time
  // does, from its first place until filled(). Each place is given back by leave().
  bool enter(const void* who) noexcept;
  void filled(const void* who) noexcept;
  void leave(int files) noexcept { under_way_.fetch_sub(files, std::memory_order_relaxed); }

 protected:
  // What became of a batch.
  void note(bool refused) noexcept;

 private:
  const int places_;
  std::atomic<const void*> fills_{nullptr};  // who; null: nobody
  std::atomic<int> under_way_{0};
  std::atomic<int> refusals_{0};  // one after the other
};

}  // namespace sluice
