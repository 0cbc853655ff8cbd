package literal_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

func ExampleParse() {
	t, err := literal.Parse("[[1.5, 2], [3, nan]]", tensor.Double)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t)

	_, err = literal.Parse("[1, 2, 300]", tensor.Uint8)
	fmt.Println(err)
	// Output:
	// [[1.5 2. ]
	//  [3.  nan]]
	// INVALID_ARGUMENT: tensor text, character 7: "300" is out of the range of uint8
}
