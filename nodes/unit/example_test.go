package unit_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit"
)

// A loop that counts is two kernels: of its thirteen nodes, eight only say
// where values go.
func Example() {
	g := graph.New()
	err := notation.Add(g, `
limit = Placeholder() {dtype=DT_INT32}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
enter = Enter(zero) {frame_name="count"}
most = Enter(limit) {frame_name="count", is_constant=true}
step = Enter(one) {frame_name="count", is_constant=true}
i = Merge(enter, next)
less = Less(i, most)
again = LoopCond(less)
switch = Switch(i, again)
add = AddV2(switch:1, step)
next = NextIteration(add)
counted = Exit(switch)
`)

	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := nodes.Compile(context.Background(), g, nodes.Spec{
		Feeds:   []graph.Output{g.Operation("limit").Output(0)},
		Fetches: []graph.Output{g.Operation("counted").Output(0)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	form, reason, err := unit.NewCompiler(program.Flow(), nil).Form(0)
	if form == nil {
		fmt.Println(reason, err)
		return
	}
	fmt.Print(form)
	// Output:
	// program
	// 	%0 int32 = _arg_limit:0
	// 	loop count
	// 		%2 int32 ← copy 0
	// 		%3 bool = Less(%2, %0)  # less
	// 		while move %3
	// 			%5 int32 → %2 = AddV2(move %2, 1)  # add
	// 			%2 ← move %5
	// 	fetch _retval_counted:0 = move %2
}
