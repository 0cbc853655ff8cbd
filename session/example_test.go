package session_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/math"
)

// half builds y = x / 2.
func half() (g *session.Graph, x, y session.Output) {
	g = session.NewGraph()
	two, err := session.NewTensor(float32(2))
	if err != nil {
		log.Fatal(err)
	}
	var outs []session.Output
	for _, spec := range []session.OpSpec{
		{Type: "Placeholder", Name: "x", Attrs: map[string]any{"dtype": session.Float}},
		{Type: "Const", Name: "two", Attrs: map[string]any{"dtype": session.Float, "value": two}},
		{Type: "RealDiv", Name: "y"},
	} {
		if spec.Name == "y" {
			spec.Input = []session.Input{outs[0], outs[1]}
		}
		op, err := g.AddOperation(spec)
		if err != nil {
			log.Fatal(err)
		}
		outs = append(outs, op.Output(0))
	}
	return g, outs[0], outs[2]
}

func ExampleSession_Run() {
	g, x, y := half()
	s, err := session.NewSession(g, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	in, err := session.NewTensor([][]float32{{1, 2}, {3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	out, err := s.Run(map[session.Output]*session.Tensor{x: in}, []session.Output{y}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0])
	// Output:
	// [[0.5 1. ]
	//  [1.5 2. ]]
}

// A loop that counts is a unit, unless something in it is fetched.
func ExampleCallable_Plan() {
	g := session.NewGraph()
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
		log.Fatal(err)
	}
	s, err := session.NewSession(g, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	limit := g.Operation("limit").Output(0)
	for _, name := range []string{"counted", "less"} {
		c, err := s.MakeCallable([]session.Output{limit}, []session.Output{g.Operation(name).Output(0)}, nil)
		if err != nil {
			log.Fatal(err)
		}
		plan, err := c.Plan(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		for _, l := range plan.Loops {
			fmt.Printf("%s %v %q\n", l.Frame, l.Unit, l.Reason)
		}
	}
	// Output:
	// count true ""
	// count false "a feed or fetch in a loop at _retval_less:0"
}

func ExampleSession_MakeCallable() {
	g, x, y := half()
	s, err := session.NewSession(g, &session.SessionOptions{Threads: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	half, err := s.MakeCallable([]session.Output{x}, []session.Output{y}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range []float32{1, 10, 100} {
		in, err := session.FromSlice([]float32{v, v + 1}, 2) // no copy
		if err != nil {
			log.Fatal(err)
		}
		out, err := half.Call(context.Background(), in)
		if err != nil {
			log.Fatal(err)
		}
		elements, err := session.Data[float32](out[0]) // no copy
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(elements)
	}
	// Output:
	// [0.5 1]
	// [5 5.5]
	// [50 50.5]
}

func ExampleError() {
	g, _, y := half()
	s, err := session.NewSession(g, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = s.RunContext(ctx, nil, []session.Output{y}, nil)
	var e *session.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, e.Node, e.Op)
	}
	// Output: INVALID_ARGUMENT x Placeholder
}
