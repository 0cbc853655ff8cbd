package random

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("SobolSample").
		Input("dim: int32").Input("num_results: int32").Input("skip: int32").Output("samples: dtype").
		Attr("dtype: {float, double} = DT_FLOAT").
		Doc(`Gives points of the Sobol sequence, which fills the unit cube evenly.

dim: The number of dimensions.
num_results: How many points.
skip: How many points are left out first.
samples: A point a row, its coordinates in [0, 1).`)
}
