// IoThreads: a pipeline's few threads for steps that read something slow, so that those that
// compute do not stand still for it. First come, first read.
//
// Ownership: owns its threads and its queue; refers to the readers and samples in it. Destroying
// it ends the threads: do so when nothing is queued. Memory: all is taken when it is made. Threads:
// post() from any; a reader is called on one of these threads, for several samples at once. Errors:
// a thread that cannot be made, or whose stack would leave no memory to work with, is left out;
// size() tells how many there are.
#pragma once

#include <sluice/runtime/ring.h>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::detail {

class Sample;

class SampleReader {
 public:
  virtual void read(Sample& sample) noexcept = 0;

 protected:
  ~SampleReader() = default;
};

class IoThreads {
 public:
  // At most `room` samples are queued at once. `begin(i)` is called on thread i before it reads.
  IoThreads(std::size_t wanted, std::size_t room, std::function<void(std::size_t)> begin);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  std::size_t size() const { return threads_.size(); }
  // Some thread calls reader.read(sample).
  void post(SampleReader& reader, Sample& sample);

 private:
  struct Item {
    SampleReader* reader = nullptr;
    Sample* sample = nullptr;
  };
  void work(std::size_t index) noexcept;

  const std::function<void(std::size_t)> begin_;
  std::mutex mutex_;
  std::condition_variable came_;
  Ring<Item> queue_;
  std::size_t idle_ = 0;  // threads that wait to be woken
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sluice::detail
