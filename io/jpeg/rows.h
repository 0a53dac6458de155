// JpegRows: the rows of a JPEG image, or of a region of it, decoded while the caller uses them.
// Pixels, reports and errors equal those of decode.h exactly.
//
// Call begin(), use the rows (ImageRows) and end them, then call finish() for the report, or
// discard(). If an attempt fails and another one can repair it, row() and end() throw Restarted. If
// the file itself is broken, finish() throws; the content of rows is then undefined.
//
// Ownership: refers to the file until finish() or discard(). Each thread has one object, which
// decodes one image at a time. Threads: that one. Errors: begin() and finish() throw what
// decode_jpeg_image() and decode_jpeg_region() do.
#pragma once

#include <sluice/io/jpeg/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/image_rows.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

namespace sluice {

struct JpegRowsOptions {
  // The size of the buffer for rows; larger if the rows that must stay need more. The default fits
  // in a core's L2 cache beside other data, and is large enough to limit switching between making
  // rows and using them.
  std::ptrdiff_t ring_bytes = std::ptrdiff_t{1} << 18;
  bool timed = false;  // measures the time spent on making rows; see took()
};

class JpegRows final : public ImageRows {
 public:
  static JpegRows& for_this_thread();

  // Returns false, without beginning, if the image must be turned: that needs all of it.
  bool begin(const Bytes& file, const std::optional<Rectangle>& region, const JpegOptions& options,
             const JpegRowsOptions& how = {});
  std::chrono::nanoseconds took() const { return took_; }
  void end() override;
  JpegReport finish();
  void discard() noexcept override;
  // True if an image has been begun and neither finished nor discarded.
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
