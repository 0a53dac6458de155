// Chains of work that a stream begins in one go have the same effect as the same work piece by
// piece.
#include "tests/cuda/kernels/on_device.h"
#include <sluice/cuda/kernels/geometry.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::testing {
namespace chain_test {

using Bytes = std::vector<std::uint8_t>;
using device::Batch;
using device::CopyPixelsJob;
using device::JobBlock;

constexpr std::size_t kCell = 4096, kCells = 8, kAll = kCell * kCells;

enum class Piece { fill, upload, move, launch };
using Form = std::vector<Piece>;

// More than a stream remembers, and some that are equal but for their last piece.
const Form kForms[] = {
    {Piece::upload, Piece::launch},
    {Piece::upload, Piece::launch, Piece::launch},
    {Piece::fill, Piece::upload, Piece::launch, Piece::move, Piece::launch},
    {Piece::fill, Piece::upload, Piece::launch, Piece::move, Piece::move},
    {Piece::move},
    {Piece::launch, Piece::fill, Piece::fill, Piece::launch, Piece::upload, Piece::launch},
};

// Device memory, and its expected content.
class Cells {
 public:
  Cells() : there_(device_.upload(expected_.data(), kAll)) {
    from_ = device_.pinned(kAll);
    std::iota(reinterpret_cast<std::uint8_t*>(from_), reinterpret_cast<std::uint8_t*>(from_ + kAll),
              std::uint8_t{7});
    for (Launch& launch : launches_) {
      launch.host = device_.pinned(JobBlock<CopyPixelsJob>::bytes(1));
      launch.device = device_.allocate(JobBlock<CopyPixelsJob>::bytes(1));
    }
  }

  OnDevice& device() { return device_; }
  DeviceStream& stream() { return device_.stream(); }
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

  // Waits for the work put there before, because its arguments are overwritten.
  void put(const Form& form) {
    launched_ = 0;
    for (const Piece piece : form) put(piece);
  }
  void put(Piece piece) {
    const std::size_t bytes = static_cast<std::size_t>(below(kCell)) + 1;
    const std::size_t to = cell(), from = (to + kCell * (1 + random_() % (kCells - 1))) % kAll;
    const auto expect = [&](const void* source) {
      std::memcpy(expected_.data() + to, source, bytes);
    };
    switch (piece) {
      case Piece::fill: {
        const auto value = static_cast<std::uint8_t>(below(256));
        stream().fill(there_ + to, value, bytes);
        std::fill_n(expected_.begin() + static_cast<std::ptrdiff_t>(to), bytes, value);
        break;
      }
      case Piece::upload:
        stream().copy(there_ + to, from_ + from, bytes);
        expect(from_ + from);
        break;
      case Piece::move:
        stream().copy(there_ + to, there_ + from, bytes);
        expect(expected_.data() + from);
        break;
      case Piece::launch: {
        CopyPixelsJob job = device::copy_job(1, static_cast<int>(bytes), kCell, kCell);
        place_pixels(job, there_ + from, there_ + to);
        Launch& launch = launches_.at(launched_++);
        JobBlock<CopyPixelsJob> block(launch.host, 1);
        block.add(job);
        stream().copy(launch.device, launch.host, JobBlock<CopyPixelsJob>::bytes(1));
        launch_copy_pixels(stream(), block.on_device(launch.device));
        expect(expected_.data() + from);
        break;
      }
    }
  }
  void check(int round) {
    ASSERT_EQ(device_.download(there_, kAll), expected_) << "in round " << round;
  }

 private:
  std::size_t cell() { return kCell * static_cast<std::size_t>(below(kCells)); }
  struct Launch {
    std::byte* host = nullptr;
    std::byte* device = nullptr;
  };

  OnDevice device_;
  std::mt19937 random_{5};
  Bytes expected_ = Bytes(kAll, 0);
  std::uint8_t* there_;
  std::byte* from_ = nullptr;
  std::vector<Launch> launches_ = std::vector<Launch>(8);
  std::size_t launched_ = 0;
};

TEST(Chains, DoWhatTheirPiecesDo) {
  Cells cells;
  for (int round = 0; round < 600; ++round) {
    const Form& form = kForms[cells.below(std::size(kForms))];
    cells.put(form);  // as no chain
    cells.device().wait();
    cells.stream().begin_chain();
    cells.put(form);
    (void)cells.stream().end_chain();
    cells.check(round);
  }
}

TEST(Chains, ThatRepeatAreGraphsOfAGpu) {
  Cells cells;
  int graphs = 0;
  for (int round = 0; round < 80; ++round) {
    for (const std::size_t form : {1u, 2u, 3u}) {
      cells.device().wait();
      cells.stream().begin_chain();
      cells.put(kForms[form]);
      graphs += cells.stream().end_chain() ? 1 : 0;
    }
  }
  cells.check(80);
  EXPECT_GE(graphs, device::on_gpu() ? 3 * 45 : 0);
  EXPECT_LE(graphs, device::on_gpu() ? 3 * 80 : 0);
  EXPECT_FALSE(cells.stream().end_chain()) << "none was begun";
}

// Work before the event has begun, and work after it is done, too.
TEST(Chains, EndWhereAnEventIsRecorded) {
  Cells cells;
  for (int round = 0; round < 20; ++round) {
    cells.stream().begin_chain();
    cells.put(kForms[2]);
    cells.device().wait();  // for an event
    cells.put(kForms[3]);
    (void)cells.stream().end_chain();
    cells.check(round);
  }
}

// Measures the host's time for a chain, and the time until it is over.
TEST(Chains, HowFast) {
  if (!device::on_gpu()) GTEST_SKIP() << "this measures a GPU: SLUICE_TEST_DEVICE is not set";
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 400;
  for (const int launches : {1, 4, 8}) {
    Form form{Piece::fill};
    for (int i = 0; i < launches; ++i) form.push_back(Piece::launch);
    Cells plain, chained;
    std::vector<double> host[2], over[2];
    int graphs = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (const int as_chain : {0, 1}) {
        Cells& cells = as_chain == 1 ? chained : plain;
        cells.device().wait();
        const auto from = Clock::now();
        if (as_chain == 1) cells.stream().begin_chain();
        cells.put(form);
        if (as_chain == 1) graphs += cells.stream().end_chain() ? 1 : 0;
        const auto put = Clock::now();
        cells.device().wait();
        const auto us = [&](Clock::time_point to) {
          return std::chrono::duration<double, std::micro>(to - from).count();
        };
        host[as_chain].push_back(us(put));
        over[as_chain].push_back(us(Clock::now()));
      }
    }
    const auto median = [](std::vector<double>& all) {
      std::nth_element(all.begin(), all.begin() + kRounds / 2, all.end());
      return all[kRounds / 2];
    };
    std::printf(
        "%d pieces, us: put one by one %.1f, over after %.1f; as a chain (%d of %d graphs) %.1f, "
        "over after %.1f\n",
        1 + 2 * launches, median(host[0]), median(over[0]), graphs, kRounds, median(host[1]),
        median(over[1]));
  }
}

}  // namespace chain_test
}  // namespace sluice::testing
