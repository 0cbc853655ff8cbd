package playground_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/view/playground"
)

func ExampleRun() {
	r := playground.Run(context.Background(), `
# fetch: y
x = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 2>}
y = Neg(x) {T=DT_INT32}
`)
	fmt.Print(r.Text)
	fmt.Println("a page:", strings.HasPrefix(r.Page, "<!doctype html>"))
	// Output:
	// y:0 = [-1 -2]
	// a page: true
}
