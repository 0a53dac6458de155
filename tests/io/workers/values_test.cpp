// Values between processes, without a process: they come out as they went in, and wrong data of a
// worker is refused.
#include <sluice/io/workers/channel.h>
#include <sluice/io/workers/pool.h>
#include <sluice/io/workers/shared_memory.h>
#include <sluice/io/workers/wire.h>
#include <sluice/runtime/error.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <tests/mutants.h>
#include <tests/one_in.h>
#include <tests/worker_samples.h>
#include <unistd.h>

namespace sluice::detail {
namespace values_test {

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return "no error";
}

// Both sides, in one process.
class Sides {
 public:
  Sides()
      : ends_(Channel::pair()), worker_(std::move(ends_.first)), here_(std::move(ends_.second)) {}

  template <class S>
  S there_and_back(S sample) {
    {
      const BufferPoolScope scope(pool_);
      wire_type<S>::write(writer_, std::move(sample));
    }
    const auto message = writer_.finish(1);
    take_segments();
    MessageReader reader(message.message());
    const auto header = reader.take<Header>();
    ReplyReader reply(reader, header.count, segments_, released_);
    return read_sample<S>(reply);
  }
  // The message that a worker would write.
  template <class S>
  std::string message_of(S sample) {
    {
      const BufferPoolScope scope(pool_);
      wire_type<S>::write(writer_, std::move(sample));
    }
    const auto message = writer_.finish(1);
    take_segments();
    const auto bytes = message.message();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void take_segments() {
    while (true) {
      const auto received = here_.receive(Blocking::no);
      if (received.result != Channel::Result::done) return;
      MessageReader reader(received.message);
      const auto header = reader.take<Header>();
      if (header.kind == MessageKind::gone) {
        EXPECT_EQ(segments_.erase(header.number), 1u);
      } else {
        segments_[header.number] =
            std::make_shared<Segment>(Segment::of(received.descriptor, 1 << 24));
      }
    }
  }

  BufferPool& pool() { return pool_; }
  const Segments& segments() const { return segments_; }
  const std::shared_ptr<ReleasedValues>& released() const { return released_; }

 private:
  std::pair<Descriptor, Descriptor> ends_;
  Channel worker_;
  Channel here_;
  std::shared_ptr<SharedMemory> memory_ = std::make_shared<SharedMemory>(worker_, 1 << 22);
  BufferPool pool_{memory_};
  ReplyWriter writer_{*memory_};
  Segments segments_;
  std::shared_ptr<EventFd> event_fd_ = std::make_shared<EventFd>();
  std::shared_ptr<ReleasedValues> released_ = std::make_shared<ReleasedValues>(event_fd_);
};

TEST(WorkerValues, ComeOutAsTheyWentIn) {
  Sides sides;
  for (std::int64_t i = 0; i < 200; ++i) {
    testing::Mixed made;
    {
      const BufferPoolScope scope(sides.pool());
      made = testing::mixed_sample({.index = i});
    }
    EXPECT_TRUE(
        testing::same(sides.there_and_back(std::move(made)), testing::mixed_sample({.index = i})));
  }
  EXPECT_EQ(sides.there_and_back(std::string(100'000, 'x')), std::string(100'000, 'x'));
  EXPECT_EQ(sides.there_and_back(std::uint8_t{255}), 255);
  EXPECT_EQ(sides.there_and_back(std::int32_t{-7}), -7);
}

// The other way: the inputs of a request.
TEST(WorkerValues, ReachAFunctionAsTheyAre) {
  for (std::int64_t i = 0; i < 200; ++i) {
    const testing::Mixed made = testing::mixed_sample({.index = i});
    RequestInputs inputs;
    std::apply([&](const auto&... each) { (add_input(inputs, each), ...); }, made);
    inputs.seal();
    inputs.seal();
    MessageWriter message({MessageKind::call, inputs.count(), 1});
    inputs.write(message);
    Segments segments;
    // A reader writes to a private copy of the pages: a second reader finds what was sent.
    for (int reader = 0; reader < 2; ++reader) {
      if (inputs.descriptor() >= 0) {
        const Descriptor memory(::dup(inputs.descriptor()));
        segments[RequestInputs::kSegment] = std::make_shared<Segment>(
            Segment::of(memory, std::size_t{1} << 30, Segment::Pages::copied));
      }
      MessageReader from(message.message());
      const auto header = from.take<Header>();
      ReplyReader reply(from, header.count, segments, nullptr);
      auto there = read_sample<testing::Mixed>(reply);
      EXPECT_TRUE(testing::same(there, made)) << i;
      auto& bytes = std::get<Bytes>(there);
      std::fill(bytes.data(), bytes.data() + bytes.size(), std::uint8_t{77});
    }
  }
  RequestInputs many;
  for (std::size_t i = 0; i <= WireValues::kMostValues; ++i) add_input(many, 1.f);
  EXPECT_THROW(many.seal(), Error);
}

TEST(WorkerValues, AreNotCopiedWhereTheyLieInSharedMemoryAlready) {
  Sides sides;
  for (const bool shared : {false, true}) {
    Bytes bytes;
    {
      BufferPool own;
      const BufferPoolScope scope(shared ? sides.pool() : own);
      bytes = Bytes(50'000);
    }
    const auto before = sides.pool().stats().bytes_in_use;
    const Bytes back = sides.there_and_back(std::move(bytes));
    EXPECT_EQ(back.size(), 50'000u);
    EXPECT_EQ(sides.pool().stats().bytes_in_use > before, !shared);
  }
}

TEST(WorkerValues, KeepTensorsReadOnly) {
  Sides sides;
  for (const std::int64_t size : {4, 4000}) {
    Tensor tensor({size}, DType::f32);
    std::fill_n(tensor.data<float>(), size, 1.f);
    tensor.make_read_only();
    EXPECT_TRUE(sides.there_and_back(std::move(tensor)).read_only());
  }
}

// One value of a message that is wrong, in shared memory of one page or inline.
TEST(WorkerValues, RefuseWhatCannotBe) {
  const std::shared_ptr<Segment> page = std::make_shared<Segment>(Segment::make(4096).first);
  const Segments segments = {{1, page}, {2, nullptr}};
  const WireValue good{ValueKind::tensor, DType::f32, Layout::none, 0, 2, 1, 1, 16, 24, {2, 3}};
  const auto told = [&](const std::function<void(WireValue&)>& change) {
    Sides sides;
    WireValue value = good;
    change(value);
    MessageWriter message({MessageKind::sample, 1, 1});
    message.add(value);
    message.add_text("ten bytes.");
    return error_of([&] {
      MessageReader reader(message.message());
      (void)reader.take<Header>();
      ReplyReader reply(reader, 1, segments, sides.released());
      const auto kind = value.kind;
      if (kind == ValueKind::image) {
        Image image;
        read_value(reply, image);
      } else if (kind == ValueKind::bytes) {
        (void)reply.bytes();
      } else {
        (void)reply.tensor();
      }
      reply.finish();
    });
  };
  struct Row {
    std::function<void(WireValue&)> change;
    std::string error;
  };
  const std::vector<Row> table = {
      {[](WireValue&) {}, "no error"},
      {[](WireValue& v) { v.kind = static_cast<ValueKind>(77); },
       "a value of a kind that there is not"},
      {[](WireValue& v) { v.kind = ValueKind::text; },
       "a value of another type than was agreed on"},
      {[](WireValue& v) { v.rank = 7; }, "a tensor of rank 7"},
      {[](WireValue& v) { v.rank = -2; }, "a tensor of rank -2"},
      {[](WireValue& v) { v.dtype = static_cast<DType>(99); },
       "a tensor of a type or layout that there is not"},
      {[](WireValue& v) { v.layout = static_cast<Layout>(9); },
       "a tensor of a type or layout that there is not"},
      {[](WireValue& v) { v.dims[0] = -2; }, "a tensor with a dimension of -2"},
      {[](WireValue& v) { v.dims[5] = 1; }, "a tensor with a dimension of 1"},
      {[](WireValue& v) { v.bytes = 28; }, "a tensor of shape (2, 3) in 28 bytes at 16"},
      {[](WireValue& v) { v.offset = 17; }, "a tensor of shape (2, 3) in 24 bytes at 17"},
      {[](WireValue& v) { v.dims[0] = v.dims[1] = std::int64_t{1} << 33; },
       "a tensor of shape (8589934592, 8589934592) in 24 bytes at 16"},
      {[](WireValue& v) { v.offset = 4080; }, "24 bytes at 4080, which is beyond what there is"},
      {[](WireValue& v) { v.offset = ~std::uint64_t{7}; },
       "24 bytes at 18446744073709551608, which is beyond what there is"},
      {[](WireValue& v) { v.segment = 3; }, "a value in shared memory that it never announced"},
      {[](WireValue& v) { v.segment = 0; }, "24 bytes at 16, which is beyond what there is"},
      {[](WireValue& v) {
         v.kind = ValueKind::bytes;
         v.segment = 0;
         v.offset = 5;
         v.bytes = 6;
       },
       "6 bytes at 5, which is beyond what there is"},
      {[](WireValue& v) {
         v.kind = ValueKind::bytes;
         v.bytes = ~std::uint64_t{0};
       },
       "18446744073709551615 bytes at 16, which is beyond what there is"},
  };
  for (const Row& row : table) EXPECT_EQ(told(row.change), row.error);
  EXPECT_EQ(told([](WireValue& v) { v.kind = ValueKind::image; }).substr(0, 20),
            "an image that is non");
  // Memory that this process could not have is no fault of the worker's.
  EXPECT_THROW((void)told([](WireValue& v) { v.segment = 2; }), Error);
}

TEST(WorkerValues, RefuseMessagesThatAreTooShort) {
  Sides sides;
  const MessageWriter message({MessageKind::sample, 2, 1});
  for (const std::size_t count : {std::size_t{1}, std::size_t{4'000'000'000}}) {
    EXPECT_EQ(error_of([&] {
                MessageReader reader(message.message());
                (void)reader.take<Header>();
                const ReplyReader reply(reader, count, sides.segments(), sides.released());
              }),
              "a message that is too short");
  }
}

// A sample with all types, whose message is damaged in any way.
TEST(WorkerValues, MutantsAreReadOrRefused) {
  Sides sides;
  const auto whole = sides.message_of(testing::mixed_sample({.index = 7}));
  testing::Mutants mutants(whole);
  for (int i = 100'000 / testing::one_in(20, 60); i > 0; --i) {
    const std::string text = mutants.next();
    const std::string foreign = testing::foreign_error([&] {
      try {
        MessageReader reader(std::as_bytes(std::span(text)));
        const auto header = reader.take<Header>();
        ReplyReader reply(reader, header.count, sides.segments(), nullptr);
        (void)read_sample<testing::Mixed>(reply);
      } catch (const ProtocolError&) {
      }
    });
    ASSERT_EQ(foreign, "") << i;
  }
}

// A descriptor of something else, of nothing, or of memory that can be cut while it is read.
TEST(WorkerValues, RefuseMemoryThatIsNotSealed) {
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Descriptor open(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(open.number(), 4096), 0);
  const std::string unsealed = "a descriptor that is not of sealed shared memory";
  EXPECT_EQ(error_of([&] { (void)Segment::of(null, 1 << 20); }), unsealed);
  EXPECT_EQ(error_of([&] { (void)Segment::of(open, 1 << 20); }), unsealed);
  const auto made = Segment::make(5000);
  const Descriptor& descriptor = made.second;
  EXPECT_EQ(error_of([&] { (void)Segment::of(descriptor, 8191); }), "shared memory of 8192 bytes");
  EXPECT_EQ(error_of([&] { (void)Segment::of(descriptor, 8192); }), "no error");
  EXPECT_NE(::ftruncate(descriptor.number(), 10), 0);
}

}  // namespace values_test
}  // namespace sluice::detail
