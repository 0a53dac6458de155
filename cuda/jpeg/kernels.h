// The kernels that decode JPEG files. They run one after the other, each for all samples of a
// batch: Huffman codes to coefficients, coefficients to component planes, planes to pixels. Their
// argument is a JpegLaunch. The damage and the coefficients in its scratch memory must be zero
// before the first one starts.
//
// For packed JPEGs, another kernel replaces the first (tokens.h).
//
// For files without a JPEG index, several kernels replace the first. One finds the state in which
// each subsequence of the codes begins. It runs again kJpegMoreLaunches times for the rest
// (synchronize.h). The next ones find where MCUs begin, and decode codes to coefficients.
//
// Two steps precede all of these. A kernel builds the Huffman tables, once for each content
// (huffman.h). If files are fetched, they come from pinned host memory into the scratch memory
// (fetch.h): a kernel reads the parts of files with a JPEG index and of packed JPEGs, and another
// one removes stuffed zeros and markers from the copies of other files.
//
// A damaged sample has its damage word set, and undefined pixels. Ownership, threads and errors: as
// runtime/device.h says for kernels.
#pragma once

#include <sluice/runtime/device.h>

namespace sluice::device {

extern const Kernel kJpegCodes;
extern const Kernel kJpegFetch;
extern const Kernel kJpegUnstuff;
extern const Kernel kJpegHuffman;
extern const Kernel kJpegTokens;
extern const Kernel kJpegSynchronize;
extern const Kernel kJpegSynchronizeMore;
extern const Kernel kJpegFindStarts;
extern const Kernel kJpegHuffmanUnindexed;
extern const Kernel kJpegInverseDct;
extern const Kernel kJpegPixels;

}  // namespace sluice::device
