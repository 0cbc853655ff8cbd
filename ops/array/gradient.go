package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MirrorPadGrad").
		Input("input: T").Input("paddings: Tpaddings").Output("output: T").
		Attr("T: type").
		Attr("Tpaddings: {int32, int64} = DT_INT32").
		Attr("mode: {'REFLECT', 'SYMMETRIC'}").
		Doc(`Computes the gradient of MirrorPad: what was mirrored is added to where it came from.

input: The gradient of its output.
paddings: How much was mirrored before and after each dimension.
mode: As MirrorPad had it.`)
	registry.Define("TileGrad").
		Input("input: T").Input("multiples: int32").Output("output: T").
		Attr("T: type").
		Deprecated(3, "It is composed of Reshape and Sum").
		Doc(`Computes the gradient of Tile: repetitions are added up.

input: The gradient of its output.
multiples: How often each dimension was repeated.`)
}
