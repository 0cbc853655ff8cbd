package batch_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/serve/batch"
	"github.com/troupe-go/troupe/tensor"
)

// A request that arrives while nothing runs starts at once.
func Example() {
	b, err := batch.New(batch.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	identity := b.Add("identity", batch.Step{
		Run: func(_ context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) { return feeds, nil },
	})

	x, _ := tensor.FromSlice([]float32{1, 2, 3}, 3)
	out, _, err := identity.Run(context.Background(), []*tensor.Tensor{x})
	fmt.Println(out[0], err)
	// Output: [1. 2. 3.] <nil>
}
