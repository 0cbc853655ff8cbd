package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("BatchToSpace").
		Input("input: T").Input("crops: Tidx").Output("output: T").
		Attr("T: type").
		Attr("block_size: int >= 2").
		Attr("Tidx: {int32, int64} = DT_INT32").
		Doc(`Moves the batch into blocks of height and width, and cuts the edges.

crops: How much is cut before and after height and width.
block_size: The size of the blocks.`)
	registry.Define("BatchToSpaceND").
		Input("input: T").Input("block_shape: Tblock_shape").Input("crops: Tcrops").Output("output: T").
		Attr("T: type").
		Attr("Tblock_shape: {int32, int64} = DT_INT32").
		Attr("Tcrops: {int32, int64} = DT_INT32").
		Doc(`Moves the batch into blocks of spatial dimensions, and cuts the edges.

block_shape: The size of the blocks in each spatial dimension.
crops: How much is cut before and after each spatial dimension.`)
	registry.Define("SpaceToBatch").
		Input("input: T").Input("paddings: Tpaddings").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Attr("block_size: int >= 2").
		Doc(`Fills up height and width with zeros and moves blocks of them into the batch.

paddings: How much is filled up before and after height and width.
block_size: The size of the blocks.`)
	registry.Define("SpaceToBatchND").
		Input("input: T").Input("block_shape: Tblock_shape").Input("paddings: Tpaddings").
		Output("output: T").
		Attr("T: type").
		Attr("Tblock_shape: {int32, int64} = DT_INT32").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Doc(`Fills up spatial dimensions with zeros and moves blocks of them into the batch.

block_shape: The size of the blocks in each spatial dimension.
paddings: How much is filled up before and after each spatial dimension.`)
	registry.Define("SpaceToDepth").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Attr("block_size: int >= 2").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Moves blocks of height and width into channels, of which there are then block_size² times as many.

block_size: The size of the blocks, which divides what they are cut out of.
data_format: Where the channels are: the last dimension, the second, or, for "NCHW_VECT_C", the second in groups of four that the last one holds.`)
	registry.Define("DepthToSpace").
		Input("input: T").Output("output: T").
		Attr("T: type").
		Attr("block_size: int >= 2").
		Attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'").
		Doc(`Moves channels into blocks of height and width, so that there are block_size² times fewer channels.

block_size: The size of the blocks, which divides what they are cut out of.
data_format: Where the channels are: the last dimension, the second, or, for "NCHW_VECT_C", the second in groups of four that the last one holds.`)
	registry.Define("ExtractImagePatches").
		Input("images: T").Output("patches: T").
		Attr("ksizes: list(int) >= 4").
		Attr("strides: list(int) >= 4").
		Attr("rates: list(int) >= 4").
		Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}").
		Attr("padding: {'SAME', 'VALID'}").
		Doc(`Gives the windows of images, each flattened into the channels of a pixel.

images: A batch of images: batch, height, width, channels.
ksizes: The size of the window in each dimension.
strides: The step in each dimension.
rates: The distance of the window's pixels in each dimension.
padding: "SAME" fills up the edges with zeros so that an output dimension is the input's divided by the stride, rounded up; "VALID" uses whole windows only.`)
}
