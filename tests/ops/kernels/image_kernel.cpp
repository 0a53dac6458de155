#include "tests/ops/kernels/image_kernel.h"

#include "tests/every_target.h"
#include "tests/one_in.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

namespace sluice::testing {
namespace {

std::string size_of(const Image& in) {
  return std::to_string(in.height()) + " x " + std::to_string(in.width()) + " x " +
         std::to_string(in.channels());
}

// A view on a part of an image that it keeps, so that there are gaps between its rows.
struct Viewed {
  Image whole, view;
};

// The images that a setting is tested with.
std::vector<Viewed> images_for(const ImageKernel& kernel, const ImageKernel::Setting& setting) {
  std::vector<Viewed> images;
  for (const int channels : kernel.channels) {
    if (kernel.every_level && setting.sizes.empty()) {
      Image whole = all_levels(channels);
      Image view = whole.crop_view(0, 0, whole.height(), whole.width());
      images.push_back({std::move(whole), std::move(view)});
    }
    for (const ImageSize& size : setting.sizes.empty() ? kernel.sizes : setting.sizes) {
      Image whole = image_around(size, channels);
      Image view = view_in(whole, size);
      images.push_back({std::move(whole), std::move(view)});
    }
  }
  return images;
}

// Returns all settings; under a sanitizer, one in `sanitized`.
std::vector<ImageKernel::Setting> settings_of(const ImageKernel& kernel, int sanitized) {
  std::vector<ImageKernel::Setting> taken;
  const auto step = static_cast<std::size_t>(one_in(1, sanitized));
  for (std::size_t i = 0; i < kernel.settings.size(); i += step)
    taken.push_back(kernel.settings[i]);
  return taken;
}

// Changing the target is slow, so the tests visit each target once per setting.

TEST_P(ImageKernels, FollowsTheFormula) {
  for (const ImageKernel::Setting& setting : settings_of(GetParam(), 7)) {
    const std::vector<Viewed> images = images_for(GetParam(), setting);
    std::vector<Levels> wanted;
    for (const Viewed& image : images) wanted.push_back(setting.formula(image.view));
    on_every_target([&] {
      for (std::size_t i = 0; i < images.size(); ++i) {
        const Image& in = images[i].view;
        Image out;
        setting.run(in, out);
        const auto wrong = difference(out, wanted[i], setting.tolerance);
        EXPECT_FALSE(wrong) << setting.arguments << ", of " << size_of(in) << ": " << *wrong;
      }
    });
  }
}

std::vector<Image> images_of(const ImageKernel& kernel, const std::vector<ImageSize>& sizes) {
  std::vector<Image> images;
  for (const int channels : kernel.channels) {
    for (const auto& [height, width] : sizes) images.push_back(make_image(height, width, channels));
  }
  return images;
}

TEST_P(ImageKernels, SameBytes) {
  const std::vector<Image> wide = images_of(GetParam(), GetParam().wide_sizes);
  for (const ImageKernel::Setting& setting : settings_of(GetParam(), 5)) {
    const std::vector<Image> of_setting = images_of(GetParam(), setting.sizes);
    const std::vector<Image>& images = setting.sizes.empty() ? wide : of_setting;
    std::vector<Image> expected;
    for (const Image& in : images) setting.run(in, expected.emplace_back());
    on_every_target([&] {
      for (std::size_t i = 0; i < images.size(); ++i) {
        Image out;
        setting.run(images[i], out);
        EXPECT_EQ(out, expected[i]) << setting.arguments << ", of " << size_of(images[i]);
      }
    });
  }
}

TEST_P(ImageKernels, WritesOnlyItsPlace) {
  // Memory for the image, and 64 bytes behind it that must not be written.
  struct Place : Placer {
    std::vector<std::byte> memory;
    std::byte* place(const ValueSpec& spec) override {
      memory.assign(spec.bytes() + 64, std::byte{0xA5});
      return memory.data();
    }
  };
  for (const ImageKernel::Setting& setting : settings_of(GetParam(), 3)) {
    std::vector<Image> images, expected;
    for (const Viewed& image : images_for(GetParam(), setting)) {
      setting.run(image.view, expected.emplace_back());
      images.push_back(image.view.clone());  // without gaps
    }
    on_every_target([&] {
      for (std::size_t i = 0; i < images.size(); ++i) {
        const Image& in = images[i];
        Place place;
        Image out;
        out.set_placer(&place);
        setting.run(in, out);
        EXPECT_EQ(out, expected[i]) << setting.arguments << ", of " << size_of(in);
        ASSERT_GE(place.memory.size(), 64u) << "the kernel did not ask the placer for memory";
        const auto behind = place.memory.end() - 64;
        EXPECT_TRUE(std::all_of(behind, place.memory.end(),
                                [](std::byte b) { return b == std::byte{0xA5}; }))
            << setting.arguments << ", of " << size_of(in);
      }
    });
  }
}

TEST_P(ImageKernels, RefusesWrongImages) {
  const ImageKernel& kernel = GetParam();
  for (const ImageKernel::Setting& setting : kernel.settings) {
    Image out;
    EXPECT_EQ(testing::refusal([&] { setting.run(Image(), out); }),
              kernel.name + ": the image is empty");
    EXPECT_EQ(testing::refusal([&] { setting.run(Image(4, 4, 5), out); }),
              kernel.name + ": the image has 5 channels; 1 to 4 are possible");
    for (int channels = 1; channels <= 4; ++channels) {
      if (std::count(kernel.channels.begin(), kernel.channels.end(), channels) > 0) continue;
      const bool one_is_possible = kernel.channels.front() == 1;
      EXPECT_EQ(testing::refusal([&] { setting.run(make_image(4, 4, channels), out); }),
                kernel.name + ": the image has " + std::to_string(channels) +
                    (channels == 1 ? " channel; " : " channels; ") +
                    (one_is_possible ? "1, 3 or 4 are possible" : "3 or 4 are possible"));
    }
  }
}

TEST_P(ImageKernels, RefusesWrongArguments) {
  const Image in = make_image(4, 4, GetParam().channels.back());
  for (const ImageKernel::Refusal& refusal : GetParam().refusals) {
    Image out;
    EXPECT_EQ(testing::refusal([&] { refusal.run(in, out); }), refusal.message);
  }
}

}  // namespace

std::optional<std::string> difference(const Image& out, const Levels& wanted, double tolerance) {
  if (out.height() != wanted.height || out.width() != wanted.width ||
      out.channels() != wanted.channels) {
    return size_of(out) + " in place of " + std::to_string(wanted.height) + " x " +
           std::to_string(wanted.width) + " x " + std::to_string(wanted.channels);
  }
  // Through pointers, because tests are compiled without optimization.
  const auto size = static_cast<int>(out.row_bytes());
  const double* level = wanted.levels.data();
  for (int y = 0; y < out.height(); ++y) {
    const std::uint8_t* row = out.row(y);
    for (int i = 0; i < size; ++i, ++level) {
      if (std::abs(row[i] - *level) <= tolerance || *level == kAnyLevel) continue;
      return "row " + std::to_string(y) + ", column " + std::to_string(i / out.channels()) +
             ", channel " + std::to_string(i % out.channels()) + ": " + std::to_string(row[i]) +
             " in place of " + std::to_string(*level);
    }
  }
  return std::nullopt;
}

ImageKernel& ImageKernel::gives(std::string arguments, Run run, Formula formula, double tolerance,
                                std::vector<ImageSize> sizes_for_it) {
  settings.push_back({std::move(arguments), std::move(run), std::move(formula), tolerance,
                      std::move(sizes_for_it)});
  return *this;
}

ImageKernel& ImageKernel::refuses(Run run, std::string message) {
  refusals.push_back({std::move(run), std::move(message)});
  return *this;
}

std::string name_of_kernel(const ::testing::TestParamInfo<ImageKernel>& info) {
  std::string name;
  bool upper = true;
  for (const char c : info.param.name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      upper = true;
      continue;
    }
    name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return name;
}

void PrintTo(const ImageKernel& kernel, std::ostream* out) { *out << kernel.name; }

}  // namespace sluice::testing
