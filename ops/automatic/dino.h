// dino: the views of a picture that DINO is trained with, of one decode.
//
//   auto [global, local] = dino(g, jpeg);     // 2 and 8 pictures
//
// Global views show 0.4 to 1 of the picture's area, local ones 0.05 to 0.4; each is a random region
// resized by a bicubic filter, and mirrored with probability 0.5; with 0.8 its brightness and
// contrast change by up to 0.4, its saturation by up to 0.2 and its hue by up to 36 degrees; with
// 0.2 it is gray. Then
//
// | view             | blurred, sigma 0.1 to 2 | solarized, from 128 on |
// |------------------|-------------------------|------------------------|
// | the first global | always                  | never                  |
// | the second       | with probability 0.1    | with probability 0.2   |
// | local            | with probability 0.5    | never                  |
//
// The rectangle around all regions is decoded once, and each view is cut out of that: the same
// pixels as by itself. What the views draw has nothing to do with each other.
//
// Colours change by color_twist, whose hue is turned in YIQ; torchvision's ColorJitter turns it in
// HSV, in an order of its own for each picture.
//
// Caron et al., "Emerging properties in self-supervised vision transformers", 2021.
// Called while a pipeline is described. Errors: BuildError for numbers out of range.
#pragma once

#include <sluice/graph/graph.h>
#include <sluice/ops/decode/decode.h>
#include <sluice/runtime/bytes.h>
#include <sluice/runtime/image.h>

#include <vector>

namespace sluice {

struct DinoOptions {
  int global_size = 224;  // width and height, at least 1
  int local_size = 96;
  int locals = 8;                // how many local views, 0 to 64
  float min_global_area = 0.4f;  // of the picture, above 0 up to 1
  float max_local_area = 0.4f;   // above min_local_area
  float min_local_area = 0.05f;  // above 0
  JpegOptions jpeg = {};
};
struct DinoViews {
  std::vector<Value<Image>> global;  // 2
  std::vector<Value<Image>> local;
};
DinoViews dino(Graph& g, Value<Bytes> jpeg, const DinoOptions& options = {});

}  // namespace sluice
