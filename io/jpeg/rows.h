// JpegRows: the picture in a JPEG file, or a region of it, whose rows are made while somebody uses
// them. The pixels are those of decode.h, byte for byte, and so are reports and errors.
//
// A picture is begun, its rows are asked for and ended (PictureRows), then finish() tells of it, or
// discard() forgets it. Where an attempt at it goes wrong that another one repairs, row() and end()
// say Restarted. What is wrong with the file for good, finish() throws; rows then hold anything.
//
// Ownership: refers to the file until the picture is ended. There is one object for each thread,
// and it has one picture at a time. Threads: that one. Errors: begin() and finish() throw what
// decode_jpeg_image() and decode_jpeg_region() do.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/picture_rows.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace sluice {

struct JpegRowsOptions {
  // Of rows that are there at once; more where those that are to stay need more. As a rule they
  // stay in a core's second cache beside all else; what is made at once saves going to and fro
  // between making rows and using them.
  std::ptrdiff_t ring_bytes = std::ptrdiff_t{1} << 18;
  bool timed = false;  // it is noted how long making the rows takes
};

class JpegRows final : public PictureRows {
 public:
  static JpegRows& for_this_thread();

  // False where the picture has to be turned, for which all of it is needed: nothing has begun.
  bool begin(const Bytes& file, const std::optional<Rectangle>& region, const JpegOptions& options,
             const JpegRowsOptions& how = {});
  std::chrono::nanoseconds took() const { return took_; }
  void end() override;
  JpegReport finish();
  void discard() noexcept override;
  // Whether a picture has been begun and not ended.
  bool is_open() const;

 private:
  struct State;

  JpegRows();
  ~JpegRows();
  void make_until(int end) override;
  void begin_attempts();
  bool begin_attempt();
  void give_up_attempt();
  template <class F>
  void attempt(F&& reads);

  std::chrono::nanoseconds took_{};
  std::unique_ptr<State> state_;
};

}  // namespace sluice
