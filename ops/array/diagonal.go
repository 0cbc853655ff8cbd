package array

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("Diag").
		Input("diagonal: T").Output("output: T").
		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
		Doc("Makes a tensor of twice the rank with the elements on its diagonal.")
	registry.Define("DiagPart").
		Input("input: T").Output("diagonal: T").
		Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}").
		Doc("Gives the diagonal of a tensor whose shape is another one twice.")
	registry.Define("MatrixDiag").
		Input("diagonal: T").Output("output: T").
		Attr("T: type").
		Doc("Makes matrices with the last dimension on their diagonals.")
	registry.Define("MatrixDiagV2").
		Input("diagonal: T").Input("k: int32").Input("num_rows: int32").Input("num_cols: int32").
		Input("padding_value: T").Output("output: T").
		Attr("T: type").
		Doc(`Makes matrices with given diagonals.

diagonal: The diagonals, from the uppermost, each in the last dimension.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
num_rows: How many rows; -1 for as few as needed.
num_cols: How many columns; -1 for as few as needed.
padding_value: What the other elements are.`)
	registry.Define("MatrixDiagPart").
		Input("input: T").Output("diagonal: T").
		Attr("T: type").
		Doc("Gives the main diagonals of matrices.")
	registry.Define("MatrixDiagPartV2").
		Input("input: T").Input("k: int32").Input("padding_value: T").Output("diagonal: T").
		Attr("T: type").
		Doc(`Gives diagonals of matrices.

k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
padding_value: What diagonals that are shorter are filled up with.
diagonal: The diagonals, from the uppermost.`)
	registry.Define("MatrixDiagPartV3").
		Input("input: T").Input("k: int32").Input("padding_value: T").Output("diagonal: T").
		Attr("T: type").
		Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'").
		Doc(`Gives diagonals of matrices.

k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
padding_value: What diagonals that are shorter are filled up with.
diagonal: The diagonals, from the uppermost.
align: To which side diagonals that are shorter are moved: those above the main one, then those below.`)
	registry.Define("MatrixSetDiag").
		Input("input: T").Input("diagonal: T").Output("output: T").
		Attr("T: type").
		Doc("Replaces the main diagonals of matrices.")
	registry.Define("MatrixSetDiagV2").
		Input("input: T").Input("diagonal: T").Input("k: int32").Output("output: T").
		Attr("T: type").
		Doc(`Replaces diagonals of matrices.

diagonal: The new diagonals, from the uppermost.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.`)
	registry.Define("MatrixSetDiagV3").
		Input("input: T").Input("diagonal: T").Input("k: int32").Output("output: T").
		Attr("T: type").
		Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'").
		Doc(`Replaces diagonals of matrices.

diagonal: The new diagonals, from the uppermost.
k: Which diagonal, 0 being the main one and positive ones above it; or the lowest and the highest of several.
align: To which side diagonals that are shorter are moved: those above the main one, then those below.`)
	registry.Define("MatrixBandPart").
		Input("input: T").Input("num_lower: Tindex").Input("num_upper: Tindex").Output("band: T").
		Attr("T: type").
		Attr("Tindex: {int32, int64} = DT_INT64").
		Doc(`Replaces what is outside of a band around the main diagonals of matrices by zeros.

num_lower: How many diagonals below the main one stay; negative for all.
num_upper: How many diagonals above it stay; negative for all.`)
}
