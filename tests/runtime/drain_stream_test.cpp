#include <sluice/runtime/device.h>

#include <new>
#include <string>

#include <gtest/gtest.h>

namespace sluice {
namespace drain_stream_test {

enum class Ends : std::uint8_t { well, broken, lost };

struct Event : DeviceEvent {
  bool over() override {
    ++asked;
    if (asked <= late) return false;
    if (ends != Ends::well) throw DeviceError("the work failed", ends == Ends::lost);
    return true;
  }
  int late = 0, asked = 0;
  Ends ends = Ends::well;
};

struct Stream : DeviceStream {
  void copy(void*, const void*, std::size_t) override {}
  void fill(void*, unsigned char, std::size_t) override {}
  void launch(const Kernel&, std::span<const std::byte>) override {}
  void wait(DeviceEvent&) override {}
  void record(DeviceEvent&) override {
    if (++records > refuses) return;
    if (lost) throw DeviceError("the device is lost", true);
    if (records % 2 == 0) throw std::bad_alloc();
    throw DeviceError("refused");
  }
  int refuses = 0, records = 0;
  bool lost = false;
};

// However a device behaves, the event is queried until it has reported how the work ended, no
// longer.
TEST(Abandon, WaitsForTheEndHoweverThatComes) {
  for (const int refuses : {0, 1, 4}) {
    for (const bool lost : {false, true}) {
      for (const int late : {0, 1, 30}) {
        for (const Ends ends : {Ends::well, Ends::broken, Ends::lost}) {
          SCOPED_TRACE(std::to_string(refuses) + (lost ? " lost " : " ") + std::to_string(late));
          Stream stream;
          stream.refuses = refuses;
          stream.lost = lost;
          Event event;
          event.late = late;
          event.ends = ends;
          drain_stream(stream, event);
          EXPECT_EQ(stream.records, lost && refuses > 0 ? 1 : refuses + 1);
          EXPECT_EQ(event.asked, late + 1);
        }
      }
    }
  }
}

}  // namespace drain_stream_test
}  // namespace sluice
