// HostJpegEngines: the JPEG engines of a HostDevice. The host decodes, and flips the lowest bit of
// each pixel value, so that tests see which pixels come from here.
//
// Ownership and threads: as JpegEngines says. Errors: a batch with a damaged file is refused.
#pragma once

#include <sluice/runtime/jpeg_engines.h>

#include <memory>
#include <string>

namespace sluice::device {

class HostJpegEngines : public JpegEngines {
 public:
  using JpegEngines::JpegEngines;
  const std::string& name() const override { return name_; }
  bool takes(std::span<const std::uint8_t> file) override;
  std::unique_ptr<Batch> make_batch(Device& device) override;

 private:
  class HostBatch;
  const std::string name_ = "JPEG engines of the stand-in";
};

}  // namespace sluice::device
