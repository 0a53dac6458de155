#include <sluice/graph/run/io_threads.h>
#include <sluice/runtime/spare_memory.h>

#include <exception>
#include <utility>
#include <vector>

namespace sluice::detail {

IoThreads::IoThreads(std::size_t wanted, std::size_t room, std::function<void(std::size_t)> begin)
    : begin_(std::move(begin)), queue_(room) {
  try {
    std::vector<SpareMemory> spare;  // held until all threads exist; one is for the pipeline
    spare.reserve(wanted + 1);
    threads_.reserve(wanted);
    spare.emplace_back();
    while (threads_.size() < wanted) {
      spare.emplace_back();
      threads_.emplace_back([this, index = threads_.size()] { work(index); });
    }
  } catch (const std::exception&) {  // no memory, or std::system_error: no more threads
  }
}

IoThreads::~IoThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoThreads::post(SampleReader& reader, Sample& sample) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    queue_.push({&reader, &sample});
    wake = idle_ > 0;
  }
  if (wake) came_.notify_one();
}

void IoThreads::work(std::size_t index) noexcept {
  if (begin_) begin_(index);
  std::unique_lock lock(mutex_);
  while (true) {
    Item item;
    while (!queue_.pop(item)) {
      if (stopping_) return;
      ++idle_;
      came_.wait(lock);
      --idle_;
    }
    lock.unlock();
    item.reader->read(*item.sample);
    lock.lock();
  }
}

}  // namespace sluice::detail
