package summary_test

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel/summary"
	"github.com/troupe-go/troupe/tensor"
)

func Example() {
	t, err := tensor.NewTensor([][]int32{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := tensor.ValueOf(t)
	fmt.Println(summary.First(&v, 7))
	fmt.Println(summary.Ends(&v, 2))
	// Output:
	// [1 2 3 4 5][6 7...]...
	// [[1 2 ... 4 5]
	//  [6 7 ... 9 10]]
}
