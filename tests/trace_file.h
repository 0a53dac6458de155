// A trace file for tests: parsed, and checked for the rules of every trace.
//
// Threads: no locks, like any data. Errors: failed expectations of the test that reads it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace sluice::traces {

struct TraceFile {
  struct Slice {
    std::string name, in;
    std::int64_t track = 0;
    std::int64_t from = 0, to = 0;  // nanoseconds
    std::int64_t sample = -1, epoch = -1, position = -1, batch = -1;
    std::int64_t samples = -1, bytes = -1, ahead = -1;  // of work on many samples at once
  };
  std::map<std::int64_t, std::string> tracks;
  std::vector<Slice> slices, waits;
  std::map<std::string, std::vector<std::int64_t>> counters;
  std::uint64_t dropped = 0;
  std::uint64_t max_events = 0;

  std::int64_t count(const std::string& name) const {
    return std::count_if(slices.begin(), slices.end(),
                         [&](const Slice& slice) { return slice.name == name; });
  }
};

inline TraceFile::Slice slice_of(const nlohmann::json& event) {
  TraceFile::Slice slice;
  slice.name = event.at("name");
  slice.track = event.at("tid");
  slice.from = std::llround(event.at("ts").get<double>() * 1000);
  slice.to = slice.from + std::llround(event.value("dur", 0.0) * 1000);
  const nlohmann::json args = event.value("args", nlohmann::json::object());
  slice.in = args.value("in", "");
  slice.sample = args.value("sample", std::int64_t{-1});
  slice.epoch = args.value("epoch", std::int64_t{-1});
  slice.position = args.value("position", std::int64_t{-1});
  slice.batch = args.value("batch", std::int64_t{-1});
  slice.samples = args.value("samples", std::int64_t{-1});
  slice.bytes = args.value("bytes", std::int64_t{-1});
  slice.ahead = args.value("ahead", std::int64_t{-1});
  return slice;
}

// Checks that the slices of a thread are nested or follow each other.
inline void expect_nested(std::vector<TraceFile::Slice> slices) {
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) {
    return a.from != b.from ? a.from < b.from : a.to > b.to;
  });
  std::map<std::int64_t, std::vector<std::int64_t>> open;  // ends, of each track
  for (const TraceFile::Slice& slice : slices) {
    EXPECT_LE(slice.from, slice.to) << slice.name;
    auto& ends = open[slice.track];
    while (!ends.empty() && ends.back() <= slice.from) ends.pop_back();
    if (!ends.empty()) {
      EXPECT_LE(slice.to, ends.back()) << slice.name << " at " << slice.from;
    }
    ends.push_back(slice.to);
  }
}

inline TraceFile read_trace(const std::string& path) {
  TraceFile trace;
  std::ifstream file(path, std::ios::binary);
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << path;
  if (json.is_discarded()) return trace;
  trace.dropped = json.at("otherData").at("dropped_events");
  trace.max_events = json.at("otherData").at("max_events_of_a_track");
  std::map<std::int64_t, TraceFile::Slice> open;
  std::map<std::int64_t, std::uint64_t> events;  // of each track; both ends of a wait are one
  for (const nlohmann::json& event : json.at("traceEvents")) {
    const std::string kind = event.at("ph");
    if (kind != "M" && kind != "e") ++events[event.at("tid").get<std::int64_t>()];
    if (kind == "M" && event.at("name") == "thread_name") {
      trace.tracks[event.at("tid")] = event.at("args").at("name");
    } else if (kind == "X") {
      trace.slices.push_back(slice_of(event));
    } else if (kind == "C") {
      trace.counters[event.at("name")].push_back(event.at("args").at("value"));
    } else if (kind == "b") {
      EXPECT_TRUE(open.emplace(event.at("id").get<std::int64_t>(), slice_of(event)).second);
    } else if (kind == "e") {
      const auto begun = open.find(event.at("id").get<std::int64_t>());
      EXPECT_NE(begun, open.end());
      if (begun == open.end()) continue;
      TraceFile::Slice wait = begun->second;
      open.erase(begun);
      EXPECT_EQ(event.at("name"), wait.name);
      wait.to = slice_of(event).from;
      EXPECT_LE(wait.from, wait.to) << wait.name;
      trace.waits.push_back(wait);
    }
  }
  EXPECT_TRUE(open.empty());
  for (const auto& [track, count] : events) {
    EXPECT_LE(count, trace.max_events) << trace.tracks[track];
    EXPECT_TRUE(trace.tracks.count(track) > 0) << track;
  }
  expect_nested(trace.slices);
  return trace;
}

}  // namespace sluice::traces
