// IoThreads: a pipeline's threads for steps with slow reads, so that computing threads do not
// block. The queue is first in, first out.
//
// Ownership: owns its threads and its queue; refers to the readers and samples in it. Destroying it
// ends the threads; the queue must be empty then. Memory: all is allocated in the constructor.
// Threads: post() from any; a reader is called on these threads, for several samples at once.
// Errors: a thread that cannot be made, or whose stack would leave too little memory to work with,
// is left out; size() returns the actual number.
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
  // At most `room` samples are queued at once. Thread i calls `begin(i)` before it reads.
  IoThreads(std::size_t wanted, std::size_t room, std::function<void(std::size_t)> begin);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  std::size_t size() const { return threads_.size(); }
  // Queues reader.read(sample) for one of the threads.
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
  std::size_t idle_ = 0;  // threads that wait for work
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace sluice::detail
