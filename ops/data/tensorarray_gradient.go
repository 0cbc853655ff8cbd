package data

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
)

// What flows to an element of an array goes by a second array of gradients, one for
// each backward graph, and what flows to the array by the flow of that.
func init() {
	for _, version := range []string{"", "V2", "V3"} {
		of := func(op string) string { return "TensorArray" + op + version }
		taken := func(op, back string, flow int, where func(c *gradient.Context) graph.Output) {
			gradient.Register(func(c *gradient.Context) {
				if !c.Has(0) {
					return
				}
				array, after := gradientArray(c, of("Grad"), c.Input(flow))
				inputs := []graph.Input{array, where(c), c.Dy(0), after}
				if back == "Split" {
					inputs[1], inputs[2] = inputs[2], inputs[1] // lengths come behind
				}
				c.Set(flow, c.Op(of(back), nil, inputs...))
			}, of(op))
		}
		index := func(c *gradient.Context) graph.Output { return c.Input(1) }
		taken("Read", "Write", 2, index)
		taken("Gather", "Scatter", 2, index)
		taken("Concat", "Split", 1, func(c *gradient.Context) graph.Output { return c.Output(1) })

		put := func(op, back string, value int, where func(c *gradient.Context) []graph.Input) {
			gradient.Register(func(c *gradient.Context) {
				c.Pass(0, 3)
				if !c.Has(0) || !c.Wants(value) {
					return
				}
				array, flow := gradientArray(c, of("Grad"), c.Dy(0))
				inputs := append(append([]graph.Input{array}, where(c)...), flow)
				if got := c.Outputs(of(back), graph.Attrs{"dtype": c.Type("T")}, inputs...); got != nil {
					c.Set(value, got[0])
				}
			}, of(op))
		}
		indices := func(c *gradient.Context) []graph.Input { return []graph.Input{c.Input(1)} }
		put("Write", "Read", 2, indices)
		put("Scatter", "Gather", 2, indices)
		put("Split", "Concat", 1, func(*gradient.Context) []graph.Input { return nil })

		// What flows to an array of gradients has arrived when its flow has.
		gradient.Register(func(c *gradient.Context) { c.Pass(1, 1) }, of("Grad"))
		gradient.None("TensorArray"+version, of("Size"), of("Close"))
	}
	gradient.None("TensorArrayGradWithShape")
}

// gradientArray returns the array of the gradients of an array's elements, which comes
// after flow, a flow of the one or of the other.
func gradientArray(c *gradient.Context, op string, flow graph.Output) (array, after graph.Output) {
	out := c.Outputs(op, graph.Attrs{"source": c.Source()}, c.Input(0), flow)
	switch len(out) {
	case 0:
		return graph.Output{}, graph.Output{}
	case 1: // an older version: its handle alone is what waits for the flow
		return out[0], flow
	}
	return out[0], out[1]
}
