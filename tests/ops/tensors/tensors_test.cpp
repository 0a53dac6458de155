#include "tests/error_of.h"
#include "tests/ops/kernels/reference.h"
#include <sluice/sluice.h>

#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace sluice {
namespace tensors_tensors_test {

TEST(Tensors, InAGraph) {
  auto pipeline = make_pipeline({.batch_size = 1}, [](Graph& g) {
    auto image =
        g.source(1, [](const SampleInfo&) { return testing::constant_picture(2, 5, 3, 255); });
    auto tensor = crop_mirror_normalize(image);
    return std::tuple{reshape(cat(tensor, tensor, -1), {3, -1}), lookup_table(image, {7})};
  });
  const auto batch = pipeline.epoch().next();
  const Tensor& joined_twice = batch->get<0>()[0];
  EXPECT_EQ(joined_twice.shape(), (Shape{3, 20}));
  EXPECT_EQ(joined_twice.data<float>()[59], 1.f);
  EXPECT_EQ(batch->get<1>()[0].at(1, 4, 2), 0);
  EXPECT_NE(error_of<BuildError>([] {
              (void)make_pipeline({}, [](Graph& g) {
                auto image = g.source(1, [](const SampleInfo&) { return Image(2, 2, 1); });
                return reshape(crop_mirror_normalize(image), {-1, -1});
              });
            }).find("one size may be -1"),
            std::string::npos);
}

}  // namespace tensors_tensors_test
}  // namespace sluice
