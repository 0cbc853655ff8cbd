package status_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/troupe-go/troupe/status"
)

func ExampleError() {
	err := error(&status.Error{Code: status.InvalidArgument, Message: "Integer division by zero", Node: "div", Op: "FloorDiv", Tag: "loop[3]"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, &status.Error{Code: status.InvalidArgument}), errors.Is(err, context.Canceled))
	// Output:
	// INVALID_ARGUMENT: Integer division by zero [node "div" (FloorDiv) at loop[3]]
	// true false
}
