// Package bundle reads and writes checkpoints. Those in TensorFlow's second format,
// the tensor bundle, are an index file and data files of one prefix.
//
//	model.index                 a sorted table: names, and where their elements lie
//	model.data-00000-of-00002   elements, one tensor behind the other
//	model.data-00001-of-00002
//
// The index is a table as LevelDB has them: blocks of sorted keys, of which each
// gives only what differs from the one before, found through a block of blocks.
// Blocks and tensors carry masked CRC-32C sums, which every read verifies. Under
// the empty key is a [wire.BundleHeaderProto], under every name a
// [wire.BundleEntryProto]. A tensor may have been saved in parts, each a [Slice]
// of it with an entry of its own; then any slice that the parts cover can be
// read.
//
// A [Reader] trusts nothing that it reads: a size is compared with the file it
// speaks of before anything is allocated. What contradicts itself is DATA_LOSS.
// Compressed blocks, elements in big-endian order and tensors of variants are
// UNIMPLEMENTED; TensorFlow's own writer makes the last alone.
//
// A [Writer] makes one data file. [Merge] makes one checkpoint of several
// without touching what is in their data files.
//
// A [SavedReader] and a [SavedWriter] are for the first format: files that are
// tables themselves, with the elements of each slice as the fields of a
// [wire.TensorProto] under its key, and under the empty key a list of all slices.
package bundle
