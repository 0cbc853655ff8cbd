package rewrite

import (
	"encoding/binary"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// mostCompared is how many bytes a constant may have to be compared with others.
const mostCompared = 4 << 10

// common computes once what several nodes compute: nodes of one operation with equal
// attributes, the same inputs and the same control inputs, which are therefore alive
// in the same frame, iterations and branches. Pure nodes alone are merged, so none
// that is stateful, reads a reference, or moves values between frames. The one that
// stays is the first.
func common(w *work) error {
	first := map[string]*graph.Node{}
	var key []byte
	for _, n := range w.Nodes() {
		if err := w.Watch.Steps(4); err != nil {
			return err
		}
		if w.IsFed(n) || !pure(n) {
			continue
		}
		if t := constant(n); n.Class() == graph.ClassConstant && (t == nil || bytesOf(t) > mostCompared) {
			continue
		}
		key = appendKey(key[:0], n)
		m := first[string(key)]
		if m == nil {
			first[string(key)] = n
			continue
		}
		outs := make([]graph.Output, m.NumOutputs())
		for i := range outs {
			outs[i] = m.Output(i)
		}
		if err := w.Replace(n, outs...); err != nil {
			return err
		}
	}
	return nil
}

func bytesOf(t *tensor.Tensor) int {
	v := tensor.ValueOf(t)
	if t.DType() == tensor.String {
		n := 0
		for _, s := range tensor.Of[string](&v) {
			n += len(s) + 16
		}
		return n
	}
	return v.SizeBytes()
}

// appendKey appends what two nodes have in common that compute the same.
func appendKey(b []byte, n *graph.Node) []byte {
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	text(n.Type())
	text(n.Device())
	b = binary.AppendUvarint(b, uint64(n.NumInputs()))
	for _, from := range n.Inputs() {
		b = binary.AppendUvarint(b, uint64(from.Op.ID()))
		b = binary.AppendUvarint(b, uint64(from.Index))
	}
	var controls []int
	for _, c := range n.Controls() {
		controls = append(controls, c.ID())
	}
	slices.Sort(controls)
	b = binary.AppendUvarint(b, uint64(len(controls)))
	for _, id := range controls {
		b = binary.AppendUvarint(b, uint64(id))
	}
	for i := range n.Attrs() {
		a := &n.Attrs()[i]
		text(a.Name)
		if t := a.Value.Tensor; t != nil {
			b = appendTensor(b, t)
		} else if a.Name != "_output_shapes" {
			text(a.Value.Typed())
		}
	}
	return b
}

// appendTensor appends a tensor's type, shape and bits.
func appendTensor(b []byte, t *tensor.Tensor) []byte {
	b = binary.AppendUvarint(b, uint64(t.DType()))
	b = binary.AppendUvarint(b, uint64(len(t.Shape())))
	for _, d := range t.Shape() {
		b = binary.AppendUvarint(b, uint64(d))
	}
	v := tensor.ValueOf(t)
	if t.DType() != tensor.String {
		return append(b, tensor.Bytes(&v)...)
	}
	for _, s := range tensor.Of[string](&v) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// allZero reports whether every bit of a tensor of numbers is zero.
func allZero(t *tensor.Tensor) bool {
	if t.DType() == tensor.String || t.DType().HasPointers() {
		return false
	}
	v := tensor.ValueOf(t)
	return !slices.ContainsFunc(tensor.Bytes(&v), func(b byte) bool { return b != 0 })
}
