package reduction

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/status"
)

const ellipsis = "..."

// einsumGradient: the gradient of an operand is the Einsum of dz and the other one,
// to the labels of the operand.
func einsumGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	left, output, ok := strings.Cut(strings.ReplaceAll(c.Str("equation"), " ", ""), "->")
	operands := strings.Split(left, ",")
	if !ok || len(operands) != c.NumInputs() || len(operands) > 2 {
		c.Fail(status.Errorf(status.Unimplemented, "the gradient of equation '%s'", c.Str("equation")))
		return
	}
	for i, labels := range operands {
		if !c.Wants(i) {
			continue
		}
		var other []int
		if len(operands) == 2 {
			other = []int{1 - i}
		}
		c.Set(i, einsumOperand(c, i, labels, output, operands, other))
	}
}

// einsumOperand returns the gradient of operand i. Along labels that nothing else has it
// was summed up, and dz is spread out. Dimensions that stand behind an ellipsis may
// have been broadcast, and are summed up.
func einsumOperand(c *gradient.Context, i int, labels, output string, operands []string, other []int) graph.Output {
	x, dz, have := c.Input(i), c.Dy(0), output
	known := output
	for _, k := range other {
		known += operands[k]
	}
	lost, places := "", []int32{}
	for at, label := range strings.Split(strings.ReplaceAll(labels, ellipsis, "."), "") {
		if label == "." || strings.Contains(known+lost, label) {
			continue
		}
		if before := strings.Index(labels, ellipsis); before >= 0 && before < at {
			at -= len([]rune(strings.ReplaceAll(labels, ellipsis, "."))) // from the end
		}
		lost, places = lost+label, append(places, int32(at))
	}
	if lost != "" {
		zero := c.Const(int32(0))
		at := c.Int32s(places...)
		if slices.ContainsFunc(places, func(p int32) bool { return p < 0 }) {
			at = c.Apply("FloorMod", at, c.Rank(x))
		}
		ones := c.Apply("Fill", c.Apply("GatherV2", c.Shape(x), at, zero), c.Scalar(dz, 1))
		dz = c.Op("Einsum", graph.Attrs{"equation": have + "," + lost + "->" + have + lost}, graph.OutputList{dz, ones})
		have += lost
	}
	to := labels
	if strings.Contains(output, ellipsis) && !strings.Contains(labels, ellipsis) {
		to = ellipsis + labels
	}
	inputs := graph.OutputList{dz}
	for _, k := range other {
		have += "," + operands[k]
		inputs = append(inputs, c.Conj(c.Input(k)))
	}
	dx := c.Op("Einsum", graph.Attrs{"equation": have + "->" + to}, inputs)
	if !strings.Contains(to, ellipsis) {
		return dx
	}
	before, behind, _ := strings.Cut(to, ellipsis)
	broadcast := func(v graph.Output, labels string) graph.Output { // the dimensions behind the ellipsis
		before, behind, ok := strings.Cut(labels, ellipsis)
		if !ok {
			return c.Int32s()
		}
		end := c.Apply("ExpandDims", c.Sub(c.Rank(v), c.Const(int32(len(behind)))), c.Const(int32(0)))
		return c.Apply("StridedSlice", c.Shape(v), c.Int32s(int32(len(before))), end, c.Int32s(1))
	}
	if a, b := c.StaticShape(x), c.StaticShape(dx); strings.Contains(labels, ellipsis) && a.Full() && b.Full() &&
		slices.Equal(a.Dims()[len(before):a.Rank()-len(behind)], b.Dims()[len(before):b.Rank()-len(behind)]) {
		return dx
	}
	over := c.Outputs("BroadcastGradientArgs", nil, broadcast(x, labels), broadcast(dx, to))
	if over == nil {
		return graph.Output{}
	}
	return c.Reshape(c.Apply("Sum", dx, c.Add(over[0], c.Const(int32(len(before))))), c.Shape(x))
}
