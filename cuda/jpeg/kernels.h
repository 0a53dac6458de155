// The kernels that decode JPEG files, one after the other, each for all samples of a batch: Huffman
// codes to coefficients, coefficients to components, components to pixels. Their arguments are a
// JpegLaunch; the damage and the coefficients in its scratch memory are zero before the first one
// begins.
//
// For files that no index knows there are others in place of the first: one that finds out in which
// state each subsequence of the codes begins, the same for what remains of that, kJpegMoreLaunches
// times (synchronise.h); where MCUs begin; and codes to coefficients.
//
// Before all of them one lays out the Huffman tables, once for each content (codes.h). And where
// there is something to fetch: what lies in the host's pinned memory is
// brought into the scratch memory (fetch.h), and files that no index knows lose their stuffed
// zeros and markers.
//
// A sample with damage has its word set, and pixels that are worth nothing. Ownership, threads and
// errors: as runtime/device.h says of kernels.
#pragma once

#include <sluice/runtime/device.h>

namespace sluice::device {

extern const Kernel kJpegCodes;
extern const Kernel kJpegFetch;
extern const Kernel kJpegUnstuff;
extern const Kernel kJpegHuffman;
extern const Kernel kJpegSynchronise;
extern const Kernel kJpegSynchroniseMore;
extern const Kernel kJpegFindStarts;
extern const Kernel kJpegHuffmanUnindexed;
extern const Kernel kJpegInverseDct;
extern const Kernel kJpegPixels;

}  // namespace sluice::device
