package all_test

import (
	"fmt"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/registry"
)

// A program that imports the package knows every operation.
func Example() {
	def, err := registry.Global.Lookup("TensorListLength")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(def.Text())
	// Output:
	// TensorListLength(input_handle: variant) -> (length: int32)
	//
	//   Returns the number of elements of a list.
}
