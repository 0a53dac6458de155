#include <sluice/cuda/kernels/color.h>
#include <sluice/ops/kernels/reduce.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <tests/cuda/kernels/on_device.h>
#include <tests/ops/kernels/reference.h>

namespace sluice::testing {
namespace reduce_test {

using kernels::Reduction;

class ReduceBatch {
 public:
  // Adds the pixel values of an image that begins `shift` bytes behind the start of its memory.
  void add(const Image& image, std::size_t shift, std::string text) {
    kernels::LevelRows rows;
    ASSERT_TRUE(kernels::lies_in_rows(image.tensor(), rows));
    const auto bytes = static_cast<std::size_t>((rows.rows - 1) * rows.stride + rows.bytes);
    std::vector<std::uint8_t> levels(shift, 99);
    levels.insert(levels.end(), rows.data, rows.data + bytes);
    rows.data = device_.upload(levels.data(), levels.size()) + shift;
    jobs_.push_back(device::reduce_job(rows));
    counts_.push_back(rows.rows * rows.bytes);
    std::vector<float> expected;
    for (const Reduction what : kAll) expected.push_back(reduce(what, image.tensor()));
    expected_.push_back(std::move(expected));
    texts_.push_back(std::move(text));
  }
  void check() {
    const std::vector<device::ReduceResult> zeros(jobs_.size());
    auto* const results = device_.upload(zeros.data(), zeros.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) jobs_[i].result = results + i;
    launch_reduce(device_.stream(), device_.upload(jobs_));
    const std::vector<device::ReduceResult> told = device_.download(results, jobs_.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      std::vector<float> actual;
      for (const Reduction what : kAll)
        actual.push_back(kernels::reduced(what, device::sums_of(told[i]), counts_[i]));
      EXPECT_EQ(actual, expected_[i]) << texts_[i];
    }
  }

 private:
  static constexpr Reduction kAll[] = {Reduction::mean, Reduction::min, Reduction::max,
                                       Reduction::standard_deviation};
  OnDevice device_;
  std::vector<device::ReduceJob> jobs_;
  std::vector<std::int64_t> counts_;
  std::vector<std::vector<float>> expected_;
  std::vector<std::string> texts_;
};

TEST(ReduceOnDevice, GivesTheHostsNumbers) {
  const int sizes[][3] = {{1, 1, 1},     {1, 3, 1},     {5, 1, 4},     {33, 21, 3},  {128, 256, 1},
                          {128, 257, 1}, {200, 181, 3}, {1, 32769, 1}, {300, 300, 4}};
  ReduceBatch batch;
  for (const auto& size : sizes) {
    const std::string text =
        std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]);
    for (const std::size_t shift : {0u, 1u, 2u})
      batch.add(make_image(size[0], size[1], size[2], static_cast<std::uint32_t>(shift) + 1), shift,
                text + ", at " + std::to_string(shift));
    for (const int level : {0, 255})
      batch.add(constant_image(size[0], size[1], size[2], level), 0,
                text + ", all " + std::to_string(level));
  }
  const Image whole = make_image(300, 250, 3, 7);
  batch.add(whole.crop_view(3, 5, 290, 201), 0, "a part");
  batch.add(whole.crop_view(0, 249, 300, 1), 1, "a column");
  batch.check();
}

TEST(ReduceOnDevice, RefusesWhatIsNoRows) {
  const std::uint8_t level = 0;
  for (const kernels::LevelRows& rows :
       {kernels::LevelRows{&level, 0, 1, 1}, kernels::LevelRows{&level, 1, 0, 1},
        kernels::LevelRows{&level, 2, 1, -1}}) {
    EXPECT_THROW(device::reduce_job(rows), std::invalid_argument);
  }
}

}  // namespace reduce_test
}  // namespace sluice::testing
