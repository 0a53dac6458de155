// stream_node: a device does the work of many tokens at a time. A slot is a stream with its
// buffers. While all slots are busy, tokens collect; no thread waits for the device.
//
//   --> mirror (2 slots) --> count
//
// Without a GPU, a stand-in device on the host's threads does the work.
#include <sluice/cuda/gpu.h>
#include <sluice/cuda/host_device.h>
#include <sluice/cuda/kernels/geometry.h>
#include <sluice/graph/flow/stream_node.h>
#include <sluice/runtime/memory.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tbb/flow_graph.h>

namespace {

constexpr int kWidth = 256;
constexpr std::size_t kMost = 16;

struct Row {
  std::array<std::uint8_t, kWidth> levels{};
};
using Mirror = sluice::flow::stream_node<Row*>;
using sluice::device::CopyPixelsJob;
using Block = sluice::device::JobBlock<CopyPixelsJob>;

class Slot : public Mirror::slot {
 public:
  explicit Slot(sluice::Device& device)
      : pinned_(device.pinned()),
        memory_(device.memory()),
        stream_(device.make_stream()),
        event_(device.make_event()) {}

  std::size_t begin(std::span<Row* const> rows) override {
    using namespace sluice::device;
    rows_ = rows;
    Block block(jobs_.data(), static_cast<int>(kMost));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(host_.data() + i * kWidth, rows[i]->levels.data(), kWidth);
      CopyPixelsJob job =
          copy_pixels_job(mirrored(hwc_pixels(1, kWidth), kWidth), pixels_out(1, kWidth, 1));
      place_pixels(job, in_.data() + i * kWidth, out_.data() + i * kWidth);
      block.add(job);
    }
    stream_->copy(in_.data(), host_.data(), rows.size() * kWidth);
    stream_->copy(jobs_there_.data(), jobs_.data(), jobs_.size());
    launch_copy_pixels(*stream_, block.on_device(jobs_there_.data()));
    stream_->copy(host_.data(), out_.data(), rows.size() * kWidth);
    stream_->record(*event_);
    return rows.size();
  }

  bool over() override {
    if (!event_->over()) return false;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      std::memcpy(rows_[i]->levels.data(), host_.data() + i * kWidth, kWidth);
    return true;
  }

 private:
  sluice::BufferPool pinned_, memory_;
  sluice::Buffer host_ = pinned_.allocate(kMost * kWidth);
  sluice::Buffer jobs_ = pinned_.allocate(Block::bytes(static_cast<int>(kMost)));
  sluice::Buffer in_ = memory_.allocate(kMost * kWidth), out_ = memory_.allocate(kMost * kWidth);
  sluice::Buffer jobs_there_ = memory_.allocate(Block::bytes(static_cast<int>(kMost)));
  std::unique_ptr<sluice::DeviceStream> stream_;
  std::unique_ptr<sluice::DeviceEvent> event_;
  std::span<Row* const> rows_;
};

}  // namespace

int main() {
  std::shared_ptr<sluice::Device> device = std::make_shared<sluice::device::HostDevice>();
  if (!sluice::look_for_gpus().gpus.empty()) device = sluice::gpu(0);
  std::vector<Row> rows(100);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].levels.front() = 1;

  sluice::flow::poller completions;
  tbb::flow::graph g;
  Mirror::options options;
  options.most = kMost;
  for (int i = 0; i < 2; ++i) options.slots.push_back(std::make_unique<Slot>(*device));
  Mirror mirror(g, completions, std::move(options));
  int mirrored = 0;
  tbb::flow::function_node<Row*> count(g, tbb::flow::serial,
                                       [&](const Row* row) -> tbb::flow::continue_msg {
                                         mirrored += row->levels.back();
                                         return {};
                                       });
  make_edge(mirror.output(), count);
  for (Row& row : rows) mirror.input().try_put(&row);
  g.wait_for_all();
  std::printf("%d rows mirrored\n", mirrored);
}
