// JpegBatch: decodes many JPEG files and packed JPEGs at once on a device, each in whole or a
// region of it. The pixels (rows of interleaved bytes) may go anywhere in device memory.
//
//   batch.clear();
//   for each file: batch.add(plan, file, {pixels, stride});   // plan.make() has said yes
//   batch.fill(upload);                          // pinned, batch.upload_bytes()
//   batch.enqueue(stream, {upload, device_upload, scratch, damage});
//   ... once an event behind it is over: damage[i] says whether sample i came out
//
// The caller provides all memory; every block starts at a multiple of 256 bytes. One upload and
// four launches serve all samples. Fetched files with a JPEG index need one more launch; fetched
// files without one need a copy each. Files without a JPEG index need five more launches, six if
// they are fetched. Packed JPEGs need one more, and another one if they are fetched. Each of their
// dictionaries is uploaded once. If a sample is reported as damaged, decode it on the host; the
// host's result counts.
//
// Ownership: refers to plans and files until enqueue_decode() has returned, and to files that are
// fetched until the device is through. Threads: one, but several threads may call fill_sample() for
// different samples at once. Errors: std::bad_alloc, and the stream's DeviceError. Allocates
// nothing if it was used for as much before.
#pragma once

#include <sluice/cuda/jpeg/plan.h>
#include <sluice/runtime/device.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::device {

class JpegBatch {
 public:
  struct Output {
    std::uint8_t* at = nullptr;  // device memory
    std::ptrdiff_t stride = 0;   // bytes from row to row
  };
  struct Memory {
    const std::byte* upload = nullptr;   // pinned, upload_bytes(); what fill() has filled
    std::byte* device_upload = nullptr;  // device, as many
    std::byte* scratch = nullptr;        // device, scratch_bytes()
    std::uint32_t* damage = nullptr;     // pinned, one for each sample: 0 if it is undamaged
  };

  void clear();
  // Returns false, and adds nothing, if a block would be too large for its 32-bit offsets (4 GiB).
  bool add(const JpegPlan& plan, std::span<const std::uint8_t> file, const Output& output);
  std::size_t size() const { return samples_.size(); }

  // Sizes for all that has been added: at most the sum of what the plans say, plus kMoreBytes.
  static constexpr std::size_t kMoreBytes = 4096;
  std::size_t upload_bytes() const;
  std::size_t scratch_bytes() const;
  // The bytes of files that the device fetches in addition.
  std::size_t fetched_bytes() const { return fetched_; }

  // Write the data to upload: all of it, or separately the part common to all samples, and each
  // sample.
  void fill(std::byte* upload) const;
  void fill_head(std::byte* upload) const;
  void fill_sample(std::byte* upload, std::size_t sample) const;

  // Enqueue the upload, the kernels, and the copy of the damage back to the host: all at once, or
  // one by one to put other work in between. Return immediately.
  void enqueue(DeviceStream& stream, const Memory& memory);
  void enqueue_upload(DeviceStream& stream, const Memory& memory) const;
  void enqueue_decode(DeviceStream& stream, const Memory& memory);
  void enqueue_damage(DeviceStream& stream, const Memory& memory) const;
  // Returns the arguments of each kernel (see kernels.h), for launching them one by one. Files that
  // enqueue_decode() copies must have been copied.
  JpegLaunch arguments(const Memory& memory) const;

 private:
  struct Sample {
    const JpegPlan* plan = nullptr;
    std::span<const std::uint8_t> file;
    JpegSample told;              // bytes_at counts from the first byte of all files
    std::uint32_t unindexed = 0;  // earlier samples without a JPEG index
  };
  JpegLaunch lay_out() const;
  static void copy_bytes(const Sample& from, std::byte* to);
  static void tell_pieces(const Sample& from, std::byte* upload, const JpegLaunch& launch);
  std::uint32_t find_codes(const JpegPlan& plan);
  std::uint32_t find_tokens(const JpegPlan& plan);

  std::vector<Sample> samples_;
  // Distinct sets of Huffman tables.
  struct Codes {
    std::uint64_t hash = 0;
    const JpegPlan* plan = nullptr;
  };
  std::vector<Codes> codes_;
  std::vector<const JpegTokenTable*> tokens_;  // distinct; of plans
  std::uint32_t segments_ = 0, subsequences_ = 0, intervals_ = 0, unindexed_ = 0;
  std::uint32_t pieces_ = 0, runs_ = 0;
  std::uint64_t bytes_ = 0, fetched_ = 0;
  std::uint64_t blocks_ = 0;
  JpegTiles tiles_;
  std::vector<DeviceCopy> copies_;  // of fetched files without a JPEG index
};

}  // namespace sluice::device
