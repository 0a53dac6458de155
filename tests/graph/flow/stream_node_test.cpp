#include "tests/graph/flow/stream_device.h"
#include <sluice/graph/flow/stream_node.h>
#include <sluice/graph/flow/window.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

namespace sluice::flow {
namespace stream_node_test {

using namespace streams;

// One slot: the first token goes alone, those that arrive meanwhile go together.
TEST(StreamNode, DeviceBatchesWhatCameWhileAllSlotsWereBusy) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  Node node(g, completions, {.slots = device.slots(1), .most = 8});
  make_edge(node.output(), sink.node);
  node.put(0);
  EXPECT_EQ(device.wait_for(1), (std::vector<DeviceBatch>{{0}}));
  for (int i = 1; i < 11; ++i) node.put(i);
  EXPECT_EQ(device.slot_of(0), 0);
  device.finish(0);
  EXPECT_EQ(device.wait_for(2).back(), numbers(1, 9));
  EXPECT_EQ(sink.wait_for(1), numbers(0, 1));
  device.finish(0);
  EXPECT_EQ(device.wait_for(3).back(), numbers(9, 11));
  device.finish(0);
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(11), numbers(0, 11));
  EXPECT_EQ(node.so_far().batches, 3);
  EXPECT_EQ(node.so_far().tokens, 11);
}

// Tokens that a slot does not take wait again, and go with a later batch.
TEST(StreamNode, WhatIsNotTakenWaitsAgain) {
  graph g;
  poller completions;
  Device device;
  device.room = 3;
  Sink sink(g);
  Node node(g, completions, {.slots = device.slots(1), .most = 8});
  make_edge(node.output(), sink.node);
  node.put(0);
  EXPECT_EQ(device.wait_for(1), (std::vector<DeviceBatch>{{0}}));
  for (int i = 1; i < 9; ++i) node.put(i);
  for (const std::size_t begun : {2u, 3u, 4u}) {
    device.finish(0);
    EXPECT_EQ(device.wait_for(begun).back().size(), begun < 4 ? 3u : 2u);
  }
  device.finish(0);
  g.wait_for_all();
  std::vector<int> left = sink.wait_for(9);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, numbers(0, 9));
  EXPECT_EQ(node.so_far().batches, 4);
  EXPECT_EQ(node.so_far().tokens, 9);
}

// A token does not wait for others while a slot is free. Slots end in any order.
TEST(StreamNode, BeginsAtOnceWhileASlotIsFree) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  Node node(g, completions, {.slots = device.slots(3), .most = 4});
  make_edge(node.output(), sink.node);
  for (int i = 0; i < 3; ++i) {
    node.put(i);
    EXPECT_EQ(device.wait_for(static_cast<std::size_t>(i) + 1).back(), DeviceBatch{i});
  }
  node.put(3);
  std::vector<int> left;
  for (const int token : {1, 2, 0}) {
    device.finish(static_cast<std::size_t>(device.slot_of(token)));
    left.push_back(token);
    if (token == 1) {
      EXPECT_EQ(device.wait_for(4).back(), DeviceBatch{3});
    }
    EXPECT_EQ(sink.wait_for(left.size()), left);
  }
  device.finish(static_cast<std::size_t>(device.slot_of(3)));
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(4).back(), 3);
}

// Tokens that are held begin together, also those that do not fit in the first slot. Tokens that
// come later are held again.
TEST(StreamNode, HeldTokensBeginInABurst) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  std::atomic<bool> held{true};
  device.refuses = [&](const DeviceBatch&) {
    held = true;
    return false;
  };
  Node node(g, completions,
            {.slots = device.slots(3), .most = 5, .most_now = [&] { return held ? 0u : 3u; }});
  make_edge(node.output(), sink.node);
  for (int i = 0; i < 5; ++i) node.put(i);
  node.wake();
  EXPECT_TRUE(device.wait_for(0).empty());
  held = false;
  node.wake();
  EXPECT_EQ(device.wait_for(2), (std::vector<DeviceBatch>{{0, 1, 2}, {3, 4}}));
  for (int i = 5; i < 7; ++i) node.put(i);
  for (const int token : {0, 3})  // a free slot changes nothing
    device.finish(static_cast<std::size_t>(device.slot_of(token)));
  EXPECT_EQ(sink.wait_for(5).size(), 5u);
  node.wake();
  EXPECT_EQ(device.wait_for(0).size(), 2u);
  held = false;
  node.put(7);
  EXPECT_EQ(device.wait_for(3).back(), (DeviceBatch{5, 6, 7}));
  device.finish(static_cast<std::size_t>(device.slot_of(5)));
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(8).size(), 8u);
}

// Tokens that go on are never held, and no held token begins with them.
TEST(StreamNode, TokensThatGoOnAreNotHeld) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  std::atomic<bool> held{false};
  std::vector<std::atomic<int>> rounds(5);
  Node node(g, completions,
            {.slots = device.slots(1),
             .most = 4,
             .goes_on = [&](int token) { return token == 1 && ++rounds.at(1) < 3; },
             .most_now = [&] { return held ? 0u : 9u; }});
  make_edge(node.output(), sink.node);
  node.put(1);
  EXPECT_EQ(device.wait_for(1).back(), (DeviceBatch{1}));
  held = true;
  for (const int i : {2, 3, 4}) node.put(i);
  for (std::size_t round = 2; round <= 3; ++round) {
    device.finish(0);
    EXPECT_EQ(device.wait_for(round).back(), (DeviceBatch{1}));
  }
  device.finish(0);
  EXPECT_EQ(sink.wait_for(1), (std::vector{1}));
  device.room = 2;
  held = false;
  node.wake();
  EXPECT_EQ(device.wait_for(4).back(), (DeviceBatch{2, 3}));
  device.finish(0);
  EXPECT_EQ(device.wait_for(5).back(), (DeviceBatch{4}));
  device.finish(0);
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(4), (std::vector{1, 2, 3, 4}));
}

// A burst in which the device takes only a part of the tokens, while another token comes that is
// held.
TEST(StreamNode, WhatABurstDoesNotTakeIsHeldAgain) {
  graph g;
  poller completions;
  Device device;
  Sink sink(g);
  std::atomic<bool> held{true};
  Node node(g, completions,
            {.slots = device.slots(2), .most = 4, .most_now = [&] { return held ? 0u : 4u; }});
  make_edge(node.output(), sink.node);
  for (int i = 0; i < 4; ++i) node.put(i);
  device.room = 2;
  device.refuses = [&](const DeviceBatch& of) {
    if (of.front() == 0) {
      held = true;
      node.put(4);
    }
    return false;
  };
  held = false;
  node.wake();
  EXPECT_EQ(device.wait_for(1).back(), (DeviceBatch{0, 1}));
  device.finish(static_cast<std::size_t>(device.slot_of(0)));
  EXPECT_EQ(sink.wait_for(2), (std::vector{0, 1}));
  device.room = 9;
  held = false;
  node.wake();
  EXPECT_EQ(device.wait_for(2).back(), (DeviceBatch{4, 2, 3}));
  device.finish(static_cast<std::size_t>(device.slot_of(4)));
  g.wait_for_all();
  EXPECT_EQ(sink.wait_for(5).size(), 5u);
}

// An error of a batch costs the tokens of that batch and no others; they leave all the same.
TEST(StreamNode, AnErrorIsThatOfItsDeviceBatch) {
  for (const bool at_begin : {true, false}) {
    graph g;
    poller completions;
    Device device;
    Sink sink(g);
    const auto has_multiple_of_5 = [](const DeviceBatch& device_batch) {
      return std::any_of(device_batch.begin(), device_batch.end(),
                         [](int i) { return i % 5 == 0; });
    };
    (at_begin ? device.refuses : device.breaks) = has_multiple_of_5;
    device.at_once = true;
    Node node(
        g, completions,
        {.slots = device.slots(2),
         .most = 3,
         .failed = [&](int token, const std::exception_ptr& why) { sink.failed(token, why); }});
    make_edge(node.output(), sink.node);
    for (int i = 0; i < 100; ++i) node.input().try_put(i);
    g.wait_for_all();
    std::vector<int> left = sink.wait_for(100);
    std::sort(left.begin(), left.end());
    EXPECT_EQ(left, numbers(0, 100));
    std::vector<std::pair<int, std::string>> expected;
    for (const DeviceBatch& device_batch : device.wait_for(0)) {
      if (!has_multiple_of_5(device_batch)) continue;
      for (const int token : device_batch)
        expected.emplace_back(token, at_begin ? "refused" : "broken");
    }
    std::sort(expected.begin(), expected.end());
    auto failures = sink.failures();
    std::sort(failures.begin(), failures.end());
    EXPECT_EQ(failures, expected);
  }
}

// Behind a window, on several threads, with slots that end in any order: each sample comes once,
// the limit is kept, and the graph ends when all have left.
TEST(StreamNode, EveryTokenLeavesOnceWhateverTheOrder) {
  constexpr int kWindow = 32, kAll = 600;
  for (const std::size_t threads : {1u, 2u, 4u}) {
    for (const std::size_t slots : {1u, 3u, 4u}) {
      const bool holds = slots == 4;  // holds tokens, and releases them at random
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
      graph g;
      poller completions;
      Device device;
      std::atomic<int> ended{0};
      std::vector<int> tokens = numbers(0, kWindow);
      int next = 0;
      window<int> credit(g, tokens, 2, [&](int) { return next < kAll && ++next > 0; });
      std::atomic<bool> held{false};
      Node node(g, completions,
                {.slots = device.slots(slots),
                 .most = 5,
                 .room = kWindow,
                 .most_now = holds ? std::function<std::size_t()>([&] { return held ? 0u : 4u; })
                                   : nullptr});
      tbb::flow::function_node<int> arrive(g, tbb::flow::unlimited,
                                           [&](int token) -> tbb::flow::continue_msg {
                                             node.put(token);
                                             credit.suspended();
                                             return {};
                                           });
      step_node<int> count(g, [&](int) { ++ended; });
      tbb::flow::function_node<int> go_on(g, tbb::flow::unlimited,
                                          [&](int token) -> tbb::flow::continue_msg {
                                            credit.resumed(count.input(), token);
                                            return {};
                                          });
      make_edge(credit.output(), arrive);
      make_edge(node.output(), go_on);
      make_edge(count.output(), credit.returns());
      std::atomic<bool> stop{false};
      std::thread device_clock([&] {
        std::mt19937 draw(1);
        while (!stop) {
          device.finish(draw() % slots);
          held = draw() % 3 != 0;
          node.wake();
          std::this_thread::yield();
        }
      });
      credit.start();
      g.wait_for_all();
      stop = true;
      device_clock.join();
      EXPECT_EQ(ended, kAll);
      EXPECT_EQ(node.so_far().tokens, kAll);
      EXPECT_EQ(credit.active(), 0u);
      EXPECT_EQ(credit.in_flight(), 0u);
    }
  }
}

TEST(Poller, AsksUntilItIsOverAndSleepsThen) {
  struct Countdown : poller::watched {
    bool over() noexcept override {
      if (--left > 0) return false;
      done.store(true);
      done.notify_all();
      return true;
    }
    std::atomic<int> left{100};
    std::atomic<bool> done{false};
  };
  poller completions;
  Countdown one, other;
  for (int round = 0; round < 3; ++round) {
    for (Countdown* each : {&one, &other}) {
      each->left = 100;
      each->done = false;
      completions.watch(*each);
    }
    one.done.wait(false);
    other.done.wait(false);
  }
  EXPECT_EQ(one.left, 0);
  EXPECT_GE(completions.time().rounds, 100);
}

}  // namespace stream_node_test
}  // namespace sluice::flow
