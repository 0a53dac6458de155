// JpegBatch: many JPEG files that a device decodes at once, each or a region of it, into pixels
// (rows of interleaved bytes) anywhere in device memory.
//
//   batch.clear();
//   for each file: batch.add(plan, file, {pixels, stride});   // plan.make() has said yes
//   batch.fill(upload);                          // pinned, batch.upload_bytes()
//   batch.enqueue(stream, {upload, device_upload, scratch, damage});
//   ... once an event behind it is over: damage[i] says whether sample i came out
//
// Memory is the caller's, and everything is at a multiple of 256 bytes. One upload and four
// launches serve all samples; one or two more if there are files that the device fetches, five more
// if there are some that no index knows. A sample that came out damaged is to be decoded by the
// host, whose verdict counts.
//
// Ownership: refers to plans and files until fill() is over, to files that are fetched until the
// device is through. Threads: one, but fill_sample() of
// different samples may be called from several at once. Errors: std::bad_alloc, and DeviceError of
// the stream's. Nothing is allocated once it has been used for as much before.
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
    std::uint32_t* damage = nullptr;     // pinned, one for each sample: 0 when all is well
  };

  void clear();
  // False, and nothing is added, when a block would become larger than its places can say (4 GiB).
  bool add(const JpegPlan& plan, std::span<const std::uint8_t> file, const Output& output);
  std::size_t size() const { return samples_.size(); }

  // Of all that has been added: never more than the sum of what the plans say, and kMoreBytes.
  static constexpr std::size_t kMoreBytes = 4096;
  std::size_t upload_bytes() const;
  std::size_t scratch_bytes() const;
  // Of files, that the device fetches besides.
  std::size_t fetched_bytes() const { return fetched_; }

  // Fills what is uploaded: all of it, or what belongs to no sample, and to each of them.
  void fill(std::byte* upload) const;
  void fill_head(std::byte* upload) const;
  void fill_sample(std::byte* upload, std::size_t sample) const;

  // Upload, kernels, and the copy of the damage back to the host; or one by one, where other work
  // comes in between. Returns at once.
  void enqueue(DeviceStream& stream, const Memory& memory) const;
  void enqueue_upload(DeviceStream& stream, const Memory& memory) const;
  void enqueue_decode(DeviceStream& stream, const Memory& memory) const;
  void enqueue_damage(DeviceStream& stream, const Memory& memory) const;
  // The arguments of each kernel (see kernels.h), for whoever launches them one by one.
  JpegLaunch arguments(const Memory& memory) const;

 private:
  struct Sample {
    const JpegPlan* plan = nullptr;
    std::span<const std::uint8_t> file;
    JpegSample told;              // bytes_at counts from the first byte of all files
    std::uint32_t unindexed = 0;  // samples before it that no index knows
  };
  JpegLaunch lay_out() const;
  static void copy_bytes(const Sample& from, std::byte* to);
  static void tell_pieces(const Sample& from, std::byte* upload, const JpegLaunch& launch);
  std::uint32_t find_codes(const JpegPlan& plan);

  std::vector<Sample> samples_;
  // Huffman tables, one for each content.
  struct Codes {
    std::uint64_t hash = 0;
    const JpegPlan* plan = nullptr;
  };
  std::vector<Codes> codes_;
  std::uint32_t segments_ = 0, subsequences_ = 0, intervals_ = 0, unindexed_ = 0;
  std::uint32_t pieces_ = 0, runs_ = 0;
  std::uint64_t bytes_ = 0, fetched_ = 0;
  std::uint64_t blocks_ = 0;
  JpegTiles tiles_;
};

}  // namespace sluice::device
