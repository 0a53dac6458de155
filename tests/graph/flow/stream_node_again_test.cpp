// Tokens that wait for a slot more than once.
#include "tests/graph/flow/stream_device.h"
#include <sluice/graph/flow/stream_node.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace sluice::flow {
namespace stream_node_again_test {

using namespace streams;

// Tokens that come back are redone in tasks of the graph, not on the poller's thread. They leave
// once: when they are through, or when their batch has failed.
TEST(StreamNode, TokensThatAreUnfinishedComeBack) {
  constexpr int kTokens = 60;
  for (const bool breaks : {false, true}) {
    graph g;
    poller completions;
    Device device;
    device.at_once = true;
    std::atomic<std::thread::id> asks{};
    device.breaks = [&](const DeviceBatch& device_batch) {
      asks = std::this_thread::get_id();
      return breaks && std::find(device_batch.begin(), device_batch.end(), 7) != device_batch.end();
    };
    Sink sink(g);
    std::vector<std::atomic<int>> rounds(kTokens);
    Node node(g, completions,
              {.slots = device.slots(3),
               .most = 8,
               .failed = [&](int token, const std::exception_ptr& why) { sink.failed(token, why); },
               .unfinished = [&](int token) { return rounds.at(std::size_t(token)) < token % 4; },
               .redo =
                   [&](int token) {
                     ++rounds.at(std::size_t(token));
                     EXPECT_NE(asks.load(), std::this_thread::get_id());
                   }});
    make_edge(node.output(), sink.node);
    for (int i = 0; i < kTokens; ++i) node.put(i);
    g.wait_for_all();
    std::vector<int> left = sink.wait_for(kTokens);
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, numbers(0, kTokens));
    std::int64_t in_batches = kTokens;
    std::vector<std::pair<int, std::string>> failures = sink.failures();
    EXPECT_EQ(failures.empty(), !breaks);
    for (int i = 0; i < kTokens; ++i) {
      const int redone = rounds.at(std::size_t(i));
      in_batches += redone;
      const bool failed = std::any_of(failures.begin(), failures.end(),
                                      [&](const auto& failure) { return failure.first == i; });
      EXPECT_TRUE(failed || redone == i % 4) << i;
    }
    EXPECT_EQ(node.so_far().tokens, in_batches);
  }
}

// Tokens that go on do so together, before tokens that have arrived meanwhile.
TEST(StreamNode, TokensThatGoOnDoSoTogether) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  std::vector<std::atomic<int>> rounds(8);
  Node node(g, completions, {.slots = device.slots(1), .most = 6, .goes_on = [&](int token) {
                               return token % 2 == 1 && ++rounds.at(std::size_t(token)) < 3;
                             }});
  make_edge(node.output(), sink.node);
  node.put(0);
  EXPECT_EQ(device.wait_for(1), (std::vector<DeviceBatch>{{0}}));
  for (int i = 1; i < 6; ++i) node.put(i);
  device.finish(0);
  EXPECT_EQ(device.wait_for(2).back(), numbers(1, 6));
  for (const int i : {6, 7}) node.put(i);
  device.room = 4;
  device.finish(0);
  EXPECT_EQ(device.wait_for(3).back(), (DeviceBatch{1, 3, 5, 6}));
  EXPECT_EQ(sink.wait_for(3), (std::vector{0, 2, 4}));
  device.room = 1;
  for (const DeviceBatch& next : {DeviceBatch{1}, {3}, {5}, {7}, {7}, {7}}) {
    const std::size_t begun = device.wait_for(0).size();
    device.finish(0);
    EXPECT_EQ(device.wait_for(begun + 1).back(), next);
  }
  device.finish(0);
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(8), (std::vector{0, 2, 4, 6, 1, 3, 5, 7}));
}

// However many new tokens wait, there is a slot for those that go on.
TEST(StreamNode, SlotsAreKeptForThoseThatGoOn) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  Node node(
      g, completions,
      {.slots = device.slots(2),
       .most = 1,
       .goes_on =
           [first = true](int token) mutable { return token == 0 && std::exchange(first, false); },
       .kept = 1});
  make_edge(node.output(), sink.node);
  for (int i = 0; i < 3; ++i) node.put(i);
  EXPECT_EQ(device.wait_for(1), (std::vector<DeviceBatch>{{0}}));
  device.finish(static_cast<std::size_t>(device.slot_of(0)));
  EXPECT_EQ(device.wait_for(2)[1], DeviceBatch{0});
  device.finish(static_cast<std::size_t>(device.slot_of(0)));
  EXPECT_EQ(sink.wait_for(1), DeviceBatch{0});
  for (const int token : {1, 2}) {
    while (device.slot_of(token) < 0) std::this_thread::yield();
    device.finish(static_cast<std::size_t>(device.slot_of(token)));
  }
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(3), numbers(0, 3));
}

}  // namespace stream_node_again_test
}  // namespace sluice::flow
