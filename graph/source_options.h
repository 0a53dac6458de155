// SourceOptions: what a source can be told beside its samples. Plain data.
//
// A sampler alone may be given in its place: g.read(files, {.shuffle = true}).
#pragma once

#include <sluice/graph/order/sampler.h>

namespace sluice {

struct SourceOptions {
  // Which samples an epoch has, in which order. All sources of a graph go by the same one, so it is
  // enough to say it once.
  Sampler sampler = {};
  // So many of the source's own, which call it beside all that computes: for one that stands still
  // for a database or the network. The order is that of the epoch, and no more than the pipeline's
  // window is read ahead. 0: the pipeline's threads call it, and PipelineOptions::io_threads where
  // the dataset says that it blocks.
  int threads = 0;
};

}  // namespace sluice
