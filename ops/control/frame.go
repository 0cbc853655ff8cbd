package control

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
)

func init() {
	for _, op := range []struct{ name, arg, what string }{
		{"", "T", "value"},
		{"Ref", "Ref(T)", "reference"},
	} {
		enter := registry.Define(op.name + "Enter").
			Input("data: " + op.arg).Output("output: " + op.arg).
			Attr("T: type").
			Attr("frame_name: string").
			Attr("is_constant: bool = false").
			Attr("parallel_iterations: int = 10").
			Doc(`Brings a ` + op.what + ` into a frame, such as a loop is; the first one to come opens the frame.

frame_name: Which frame, of those within the frame that the node itself is in.
is_constant: Whether the ` + op.what + ` is there in every iteration, not in the first alone.
parallel_iterations: How many iterations of the frame may be alive at a time.`)
		exit := registry.Define(op.name + "Exit").
			Input("data: " + op.arg).Output("output: " + op.arg).
			Attr("T: type").
			Doc("Brings a " + op.what + " out of a frame, from the iteration in which it is live.")
		next := registry.Define(op.name + "NextIteration").
			Input("data: " + op.arg).Output("output: " + op.arg).
			Attr("T: type").
			Doc("Brings a " + op.what + " into the next iteration of its frame.")
		if op.name == "Ref" {
			enter.Leaves("data")
			exit.Leaves("data")
			next.Leaves("data")
		}
		shape.Register(passShape, op.name+"Exit", op.name+"NextIteration")
	}
	shape.Register(enterShape, "Enter")
	shape.Register(passShape, "RefEnter")
	registry.Define("LoopCond").
		Input("input: bool").Output("output: bool").
		Doc(`Passes on the condition that decides whether a loop goes on.

input: The condition, a scalar.`)
	shape.Register(shape.UnchangedRank(0), "LoopCond")

	gradient.Whole("Enter", "Exit", "NextIteration", "LoopCond", "RefEnter", "RefExit", "RefNextIteration")
}

// enterShape: a loop variable may change its shape from iteration to iteration,
// so its first one says nothing.
func enterShape(c *shape.Context) error {
	if c.Bool("is_constant") {
		c.SetOutput(0, c.Input(0))
	}
	c.PassHandle(0, 0)
	return nil
}

func passShape(c *shape.Context) error {
	c.SetOutput(0, c.Input(0))
	c.PassHandle(0, 0)
	return nil
}
