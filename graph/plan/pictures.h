// What steps tell the pass `push_crops` about pictures: how one that makes a picture can make less
// of it, and how one that looks at a picture sees only its size, or only a window of it.
//
// Ownership: shared by copies of a plan; immutable. Threads: the functions are called like a step's
// own. Errors: what they throw is the error of the sample, like what a step throws.
#pragma once

#include <sluice/graph/plan/sample.h>
#include <sluice/graph/plan/slot.h>
#include <sluice/runtime/rectangle.h>

#include <functional>

namespace sluice::detail {

// Of a step that makes one picture. Both functions read what the step reads.
struct PictureMaker {
  // Writes an image that has the picture's size and no pixels.
  std::function<void(Sample&, SlotId out)> size;
  // Writes the pixels of a window, the same that they are in the whole picture.
  std::function<void(Sample&, const Rectangle&, SlotId out)> part;
};

// Of a step that looks at one picture among what it reads.
struct PictureViewer {
  SlotId picture = 0;
  // The window of the picture that the step looks at, by an image that has only its size; throws as
  // the step does when there is no such window. Null when the step looks at the size alone.
  std::function<Rectangle(const Sample&, SlotId size)> window;
  // Does the work of the step on what it looks at: the window as a picture of its own, or the size.
  // Null when that picture is the result itself.
  std::function<void(Sample&, SlotId seen)> run;
};

}  // namespace sluice::detail
