// SPDX-License-Identifier: Apache-2.0
// Every graph to graph function. Each returns whether it changed anything.
#pragma once

#include "ir/graph.h"

namespace mycel::passes {

// Removes nodes whose results nobody reads and that have no effects. Left behind by every other
// pass; a training graph has many, because gradient rules compute for all inputs.
bool erase_dead_nodes(ir::Graph& graph);

// Keeps one of several nodes that compute the same from the same. Gradient rules repeat what the
// forward part computed already.
bool merge_equal_nodes(ir::Graph& graph);

// Lets whoever reads a choice between a value and itself read the value. Results of regions stay
// what they are: writers of files mark them so.
bool join_branches(ir::Graph& graph);
bool skip_idle_choices(ir::Graph& graph);

// Lets a copy be the value it copies, if nobody else reads that: what is made to be written into is
// written where it lies. A loop that writes a row of a table in every turn copies no table.
bool elide_copies(ir::Graph& graph);

// Drops operators that change nothing (a reshape to the same shape, a conversion there and back),
// joins chains of reshapes and transpositions, and lets relu's gradient read relu's result.
bool simplify_algebra(ir::Graph& graph);

// Lets convolutions and what lies between them work on blocked activations, the dense
// (N, C / block, H, W, block) that the processor's vectors like, instead of having every
// convolution reorder its images and results. Conversions stand where blocked values meet plain
// ones; a group of nodes for which they cost more than they save stays as it is. Without a block
// length the backend's own is taken.
bool propagate_layout(ir::Graph& graph);
bool propagate_layout(ir::Graph& graph, std::int64_t block);

// Lets a blocked convolution store its results finished: a normalisation by known statistics and
// the addition of a residual that alone read them happen while they are in registers.
bool combine_convolution(ir::Graph& graph);

// Lets batch normalisation in training add a residual and apply relu or relu6 in its own walk over
// memory, and its gradient apply theirs.
bool combine_batch_norm(ir::Graph& graph);

// Joins elementwise operators into one whose formula is the composition of theirs, when nobody else
// reads the values in between: one pass over memory instead of one per operator.
bool fuse_elementwise(ir::Graph& graph);

// Puts elementwise nodes, conversions and reductions over one space into regions that the graph's
// device computes in one go, with several results where others read them: one walk over memory for
// a normalisation or a softmax. Views in between that only stretch go along. Nothing is moved past
// a write of what it reads. A graph on a device without a compiler for regions stays as it is.
bool fuse_regions(ir::Graph& graph);

// Cuts an optimizer's step over all parameters into parts of some size, in the order in which
// gradients become known: each part can then follow its gradients.
bool split_updates(ir::Graph& graph);

// Moves writes to parameters up to where everything they need is known and nobody reads the old
// value any more: an optimizer's update then follows the gradient it uses, whose memory is free
// again at once. Single numbers move up too: learning rates must not be what updates wait for.
bool hoist_updates(ir::Graph& graph);

}  // namespace mycel::passes
