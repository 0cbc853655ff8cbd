package typed_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/typed"
	_ "github.com/troupe-go/troupe/ops/all"
)

// What generated code does, by hand.
func Example() {
	m, err := model.Load("../../examples/serve/digits", []string{"serve"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Session.Close()
	var c typed.Call
	typed.PutSlice(&c, "image", make([]float32, 2*64), -1, 8, 8, 1)
	c.Run(context.Background(), m, "serving_default")
	scores := typed.TakeSlice[float32](&c, "output_0", -1, 10)
	fmt.Println(len(scores), c.Err())
	// Output: 20 <nil>
}
