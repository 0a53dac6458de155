// Steps that look at a picture only by its size, or only through a window, and say so: when they
// follow a decoder, the pass push_crops has no more decoded than that. For operators only.
#pragma once

#include <sluice/ops/kernels/arguments.h>
#include <sluice/ops/operator.h>
#include <sluice/runtime/image.h>
#include <sluice/runtime/window.h>

#include <memory>
#include <string_view>
#include <utility>

namespace sluice::detail {

// A value that follows from a picture's size: look(frame, image, args...), which may ask the image
// for its size and nothing else.
template <class R, class Look, class... Args>
Value<R> size_step(std::string_view name, const Value<Image>& image, Look look, Args... args) {
  Graph g = graph_of(image, name);
  Step step = begin_step<Value<Image>, Args...>(g.recorder(), name, image, args...);
  const Value<R> value = results<R>::add(g.recorder(), step);
  PictureViewer views;
  views.picture = image.slot();
  views.run = [look = std::move(look), out = value.slot(), ... args = std::move(args)](
                  Frame& frame, SlotId seen) {
    frame.get<R>(out) = look(frame, frame.get<Image>(seen), argument<Args>::of(args, frame)...);
  };
  step.run = [run = views.run, picture = views.picture](Frame& frame) { run(frame, picture); };
  step.views = std::make_shared<const PictureViewer>(std::move(views));
  g.recorder().add_step(std::move(step));
  return value;
}

struct WindowStep {
  const char* name;
  bool is_part = false;   // the work is to cut the window out, and nothing else
  bool sees_all = false;  // the window is the whole picture
};
// What is made of a window of a picture: the window is window_of(image, args...), which may ask the
// image for its size and nothing else; the work is work(image, window, args..., R& out).
template <class R, class WindowOf, class Work, class... Args>
Value<R> window_step(const WindowStep& kind, const Value<Image>& image, WindowOf window_of,
                     Work work, Args... args) {
  Graph g = graph_of(image, kind.name);
  Step step = begin_step<Value<Image>, Args...>(g.recorder(), kind.name, image, args...);
  const Value<R> value = results<R>::add(g.recorder(), step);
  PictureViewer views;
  views.picture = image.slot();
  views.window = [name = kind.name, window_of, args...](const Frame& frame, SlotId size) {
    const auto& in = frame.get<Image>(size);
    const Window window = window_of(in, argument<Args>::of(args, frame)...);
    kernels::check_window(name, window, in);
    return window;
  };
  if (!kind.is_part) {
    views.run = [work, out = value.slot(), args...](Frame& frame, SlotId seen) {
      const auto& part = frame.get<Image>(seen);
      work(part, Window{0, 0, part.height(), part.width()}, argument<Args>::of(args, frame)...,
           frame.get<R>(out));
    };
  }
  step.run = [window_of, work, picture = image.slot(), out = value.slot(), args...](Frame& frame) {
    const auto& in = frame.get<Image>(picture);
    work(in, window_of(in, argument<Args>::of(args, frame)...), argument<Args>::of(args, frame)...,
         frame.get<R>(out));
  };
  if (!kind.sees_all) step.views = std::make_shared<const PictureViewer>(std::move(views));
  g.recorder().add_step(std::move(step));
  return value;
}

}  // namespace sluice::detail
