// Steps that look at a picture only by its size, or only through a window, and say so: when they
// follow a decoder, the pass push_crops has no more decoded than that. For operators only.
#pragma once

#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/operator.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/rectangle.h>

#include <memory>
#include <string_view>
#include <utility>

namespace sluice::detail {

// A value that follows from a picture's size: look(sample, image, args...), which may ask the image
// for its size and nothing else.
template <class R, class Look, class... Args>
Value<R> size_step(std::string_view name, const Value<Image>& image, Look look, Args... args) {
  Graph g = graph_of(image, name);
  Step step = begin_step<Value<Image>, Args...>(g.recorder(), name, image, args...);
  const Value<R> value = results<R>::add(g.recorder(), step);
  PictureViewer views;
  views.picture = image.slot();
  views.run = [look = std::move(look), out = value.slot(), ... args = std::move(args)](
                  Sample& sample, SlotId seen) {
    sample.get<R>(out) = look(sample, sample.get<Image>(seen), argument<Args>::of(args, sample)...);
  };
  step.run = [run = views.run, picture = views.picture](Sample& sample) { run(sample, picture); };
  step.views = std::make_shared<const PictureViewer>(std::move(views));
  g.recorder().add_step(std::move(step));
  return value;
}

struct RectangleStep {
  const char* name;
  bool is_part = false;   // the work is to cut the window out, and nothing else
  bool sees_all = false;  // the window is the whole picture
};
// What is made of a window of a picture: the window is window_of(image, args...), which may ask the
// image for its size and nothing else; the work is work(image, window, args..., R& out).
template <class R, class RectangleOf, class Work, class... Args>
Value<R> window_step(const RectangleStep& kind, const Value<Image>& image, RectangleOf window_of,
                     Work work, Args... args) {
  Graph g = graph_of(image, kind.name);
  Step step = begin_step<Value<Image>, Args...>(g.recorder(), kind.name, image, args...);
  const Value<R> value = results<R>::add(g.recorder(), step);
  PictureViewer views;
  views.picture = image.slot();
  views.window = [name = kind.name, window_of, args...](const Sample& sample, SlotId size) {
    const auto& in = sample.get<Image>(size);
    const Rectangle window = window_of(in, argument<Args>::of(args, sample)...);
    kernels::check_window(name, window, in);
    return window;
  };
  if (!kind.is_part) {
    views.run = [work, out = value.slot(), args...](Sample& sample, SlotId seen) {
      const auto& part = sample.get<Image>(seen);
      work(part, Rectangle{0, 0, part.height(), part.width()}, argument<Args>::of(args, sample)...,
           sample.get<R>(out));
    };
  }
  step.run = [window_of, work, picture = image.slot(), out = value.slot(),
              args...](Sample& sample) {
    const auto& in = sample.get<Image>(picture);
    work(in, window_of(in, argument<Args>::of(args, sample)...),
         argument<Args>::of(args, sample)..., sample.get<R>(out));
  };
  if (!kind.sees_all) step.views = std::make_shared<const PictureViewer>(std::move(views));
  g.recorder().add_step(std::move(step));
  return value;
}

}  // namespace sluice::detail
