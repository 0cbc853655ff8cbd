package main

import (
	"errors"
	"fmt"
	"strings"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/profile"
)

// A class is what kind of work an operation is.
type class int

const (
	other class = iota
	products
	depthwise
	classes
)

func classOf(op string) class {
	switch op {
	case "Conv2D", "_FusedConv2D", "Conv2DBackpropInput", "Conv3D", "MatMul", "_FusedMatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum":
		return products
	case "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative":
		return depthwise
	}
	return other
}

// A counting counts the multiplications of a recorded run.
type counting struct {
	graph *tf.Graph // that ran
	run   *profile.Stats
	fed   map[string]*tf.Tensor
}

// all returns how many multiplications products and convolutions make, by class.
func (c *counting) all() (sum [classes]float64, err error) {
	for i := range c.run.Nodes {
		n := &c.run.Nodes[i]
		of := classOf(n.Op)
		if n.Count == 0 || of == other || len(n.Outputs) == 0 {
			continue
		}
		m, err := c.multiplications(n)
		if err != nil {
			return sum, fmt.Errorf("%s (%s): %w", n.Name, n.Op, err)
		}
		sum[of] += float64(n.Count) * m
	}
	return sum, nil
}

// multiplications returns how many multiplications a product or a convolution makes. For those
// with zeros around an image it counts as if the image went on.
func (c *counting) multiplications(n *profile.NodeStats) (float64, error) {
	def, out := c.graph.Operation(n.Name), n.Outputs[0].Shape
	if def == nil {
		return 0, errors.New("not in the graph that ran")
	}
	switch n.Op {
	case "Conv2D", "_FusedConv2D", "Conv3D": // filter: window, channels, filters
		filter, err := c.shape(def, n, 1)
		if err != nil {
			return 0, err
		}
		return size(out) * size(filter[:len(filter)-1]), nil
	case "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative":
		filter, err := c.shape(def, n, 1)
		if err != nil {
			return 0, err
		}
		return size(out) * size(filter[:2]), nil
	case "Conv2DBackpropInput":
		filter, err := c.shape(def, n, 1)
		if err != nil {
			return 0, err
		}
		of, err := c.shape(def, n, 2)
		if err != nil {
			return 0, err
		}
		return size(of) * size(filter[:3]), nil
	case "Einsum":
		equation, _ := def.Attr("equation")
		return c.einsum(def, n, fmt.Sprint(equation))
	}
	left, err := c.shape(def, n, 0)
	if err != nil {
		return 0, err
	}
	last := len(left) - 1
	for _, name := range []string{"transpose_a", "adj_x"} {
		if turned, err := def.Attr(name); err == nil && turned == true {
			last--
		}
	}
	return size(out) * float64(left[last]), nil
}

// shape returns the shape of an input, as the run had it, or else as the graph has it.
func (c *counting) shape(def *tf.Operation, n *profile.NodeStats, k int) ([]int64, error) {
	if k < len(n.Inputs) && n.Inputs[k].Port >= 0 {
		from := &c.run.Nodes[n.Inputs[k].Node]
		if port := n.Inputs[k].Port; port < len(from.Outputs) {
			return from.Outputs[port].Shape, nil
		}
	}
	from := def.Inputs()[k]
	if t := c.fed[from.String()]; t != nil {
		return t.Dims(), nil
	}
	s := from.Shape()
	if s.NumDimensions() < 2 {
		return nil, fmt.Errorf("input %d has an unknown shape", k)
	}
	dims := make([]int64, s.NumDimensions())
	for i := range dims {
		if dims[i] = s.Size(i); dims[i] < 0 {
			return nil, fmt.Errorf("input %d has the shape %v", k, s)
		}
	}
	return dims, nil
}

// einsum counts the multiplications of a product of two operands: one for each choice of all indices.
func (c *counting) einsum(def *tf.Operation, n *profile.NodeStats, equation string) (float64, error) {
	left, _, _ := strings.Cut(strings.ReplaceAll(equation, " ", ""), "->")
	terms := strings.Split(left, ",")
	if len(terms) != 2 || strings.Contains(left, ".") {
		return 0, fmt.Errorf("equation %q", equation)
	}
	sizes := map[rune]int64{}
	for i, term := range terms {
		dims, err := c.shape(def, n, i)
		if err != nil {
			return 0, err
		}
		for k, label := range term {
			sizes[label] = max(sizes[label], dims[k])
		}
	}
	product := 1.0
	for _, s := range sizes {
		product *= float64(s)
	}
	return product, nil
}

// size returns how many elements a shape has.
func size(dims []int64) float64 {
	n := 1.0
	for _, d := range dims {
		n *= float64(d)
	}
	return n
}
