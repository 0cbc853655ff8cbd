package reduction

import (
	"strings"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// einsumShape returns each label of the equation one dimension, and the ellipsis
// those that the inputs' broadcast to.
func einsumShape(c *shape.Context) error {
	inputs, output, err := einsumLabels(c.Str("equation"))
	if err != nil {
		return err
	}
	if len(inputs) != c.NumInputs() {
		return status.Invalid("Expected %d inputs for equation %s but got: %d", len(inputs), c.Str("equation"), c.NumInputs())
	}
	sizes := map[byte]int64{}
	rest, known := shape.Scalar, true
	for i, labels := range inputs {
		in := c.Input(i)
		before, after, ellipsis := strings.Cut(labels, "...")
		if ellipsis {
			if !in.Known() {
				known = false
				continue
			}
			in = c.Try(in.WithRankAtLeast(len(before) + len(after)))
		} else {
			in = c.Try(in.WithRank(len(labels)))
		}
		if c.Err() != nil {
			return c.Err()
		}
		last := in.Rank() - len(after)
		if ellipsis {
			rest = c.Try(shape.Broadcast(rest, in.Sub(len(before), last)))
		}
		for k := range len(before) {
			mergeLabel(c, sizes, before[k], in.Dim(k))
		}
		for k := range len(after) {
			mergeLabel(c, sizes, after[k], in.Dim(last+k))
		}
	}
	if !known {
		return c.Err()
	}
	before, after, ellipsis := strings.Cut(output, "...")
	if !ellipsis {
		rest = shape.Scalar
	}
	head, err := labelled(sizes, before)
	c.Fail(err)
	tail, err := labelled(sizes, after)
	c.Fail(err)
	c.SetOutput(0, c.Try(shape.Concat(head, rest, tail)))
	return c.Err()
}

func mergeLabel(c *shape.Context, sizes map[byte]int64, label byte, d int64) {
	have, ok := sizes[label]
	if ok {
		d = c.TryDim(shape.MergeDims(have, d))
	}
	sizes[label] = d
}

// labelled returns the shape of the dimensions that labels stand for.
func labelled(sizes map[byte]int64, labels string) (shape.Shape, error) {
	dims := make([]int64, len(labels))
	for k := range dims {
		d, ok := sizes[labels[k]]
		if !ok {
			return shape.Shape{}, status.Invalid("Label '%c' of the output is not in an input", labels[k])
		}
		dims[k] = d
	}
	return shape.Of(dims...), nil
}

// einsumLabels takes an equation such as "...ij,...jk->...ik" apart.
func einsumLabels(equation string) (inputs []string, output string, err error) {
	left, right, ok := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	if !ok || strings.Contains(right, "->") {
		return nil, "", status.Invalid("Expecting exactly one '->' in einsum equation: %s", equation)
	}
	inputs = strings.Split(left, ",")
	for _, labels := range append(inputs, right) {
		before, after, _ := strings.Cut(labels, "...")
		for _, c := range []byte(before + after) {
			if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
				return nil, "", status.Invalid("Invalid character '%c' in einsum equation: %s", c, equation)
			}
		}
	}
	return inputs, right, nil
}
