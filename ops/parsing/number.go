package parsing

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("StringToNumber").
		Input("string_tensor: string").Output("output: out_type").
		Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT").
		Doc("Parses strings as numbers.")
}
