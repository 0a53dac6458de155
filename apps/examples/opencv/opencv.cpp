// A function of OpenCV as a step of a pipeline. An Image is shown as a cv::Mat without a copy, and
// a cv::Mat that owns its pixels becomes an Image without one: see mat.h. Argument: a folder of
// JPEG files.
#include "mat.h"
#include <sluice/sluice.h>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <utility>

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/photo.hpp>

using namespace sluice;

namespace {

// The step. It runs on several threads at once, with one image each. detailEnhance expects BGR; a
// function that does not care, such as cv::medianBlur, takes as_mat(image) itself.
Image enhance(const Image& image) {
  cv::Mat bgr, enhanced, rgb;
  cv::cvtColor(as_mat(image), bgr, cv::COLOR_RGB2BGR);
  cv::detailEnhance(bgr, enhanced);
  cv::cvtColor(enhanced, rgb, cv::COLOR_BGR2RGB);
  return to_image(std::move(rgb));
}

}  // namespace

int main(int argc, char** argv) try {
  const char* folder = argc > 1 ? argv[1] : "out/images";
  cv::setNumThreads(1);  // the pipeline's threads already use all CPUs
  auto pipeline = make_pipeline({.batch_size = 8, .on_error = OnError::skip}, [&](Graph& g) {
    auto [jpeg, label] = g.read(files_in(folder));
    auto image = resize(decode_jpeg(jpeg), {.height = 128, .width = 128});
    return g.map("enhance", enhance, image);
  });

  std::size_t count = 0;
  cv::Scalar sum;
  for (const auto& [images] : pipeline.epoch()) {
    for (const Image& image : images) sum += cv::mean(as_mat(image));  // pixels of the batch
    count += images.size();
  }
  if (count == 0) throw Error("no file could be decoded");
  const auto n = static_cast<double>(count);
  std::printf("%zu images\n", count);
  std::printf("mean red %.1f, green %.1f, blue %.1f\n", sum[0] / n, sum[1] / n, sum[2] / n);
  std::printf("OpenCV %s\n", CV_VERSION);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
