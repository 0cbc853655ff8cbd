package registry_test

import (
	"fmt"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ExampleScale").
		Input("x: T").
		Output("y: T").
		Attr("factor: float = 2").
		Attr("T: {half, float, double} = DT_FLOAT").
		Doc("Multiplies every element by a factor.")
}

// A definition is looked up by name; the inputs tell the attribute T, and the
// other one has a default.
func Example() {
	def, err := registry.Global.Lookup("ExampleScale")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(def.Text())

	node, err := registry.Infer(def, nil, []registry.Input{{Types: []tensor.DType{tensor.Double}}})
	fmt.Println(node.Attrs, node.Outputs, err)

	_, err = registry.Infer(def, nil, []registry.Input{{Types: []tensor.DType{tensor.Int32}}})
	fmt.Println(err)
	// Output:
	// ExampleScale(x: T) -> (y: T)
	//   factor: float = 2.0
	//   T: {half, float, double} = DT_FLOAT
	//
	//   Multiplies every element by a factor.
	// T=DT_DOUBLE, factor=2.0 [double] <nil>
	// INVALID_ARGUMENT: Value for attr 'T' of int32 is not in the list of allowed values: half, float, double; Op<name=ExampleScale; signature=x:T -> y:T; attr=factor:float,default=2; attr=T:type,default=DT_FLOAT,allowed=[DT_HALF, DT_FLOAT, DT_DOUBLE]>
}

func ExampleParseAttr() {
	for _, text := range []string{"[2,?]", "{ dim { size: 2 } dim { size: -1 } }", "?", "[2"} {
		v, err := registry.ParseAttr(registry.KindShape, text)
		fmt.Println(v, err)
	}
	// Output:
	// [2,?] <nil>
	// [2,?] <nil>
	// ? <nil>
	// none INVALID_ARGUMENT: text "[2": expected an integer, found the end (character 2)
}
