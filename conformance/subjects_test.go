package conformance

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A subject is a node with inputs, to be tampered with.
type subject struct {
	op       string
	attrs    registry.Attrs
	inputs   []*tensor.Tensor
	row      *nodeRow // if it was recorded so, which has variables and lists for inputs
	recorded bool     // it is known to run
}

// subjects are the nodes that TensorFlow has been recorded to run, and for each kernel
// some that follow from the definition alone, of which many are refused.
func subjects(t testing.TB) []*subject {
	t.Helper()
	var all []*subject
	folder, _, err := open("testdata/nodes.zip")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := nodeRows(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if r := &rows[i]; r.Error == "" {
			s, err := r.subject()
			if err != nil {
				t.Fatalf("nodes/%d: %v", i, err)
			}
			all = append(all, s)
		}
	}
	paths, err := filepath.Glob("../ops/*/testdata/*.jsonl*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if path == "../ops/linalg/testdata/answers.jsonl.gz" { // in a form of its own
			continue
		}
		kerneltest.EachRecorded(t, path, func(op string, attrs registry.Attrs, in []*tensor.Tensor) {
			all = append(all, &subject{op: op, attrs: attrs, inputs: in, recorded: true})
		})
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, op := range kernel.Ops() {
		if strings.HasPrefix(op, "Test") { // tests of this package define them
			continue
		}
		def, err := registry.Global.Lookup(op)
		if err != nil {
			t.Fatal(err)
		}
		for range 4 {
			if s := drawn(rng, def); s != nil {
				all = append(all, s)
			}
		}
	}
	return all
}

func (r *nodeRow) subject() (*subject, error) {
	c := *r
	c.Known = false
	s := &subject{op: r.Op, row: &c, recorded: true}
	def, err := registry.Global.Lookup(r.Op)
	if err != nil {
		return nil, err
	}
	for name, raw := range r.Attrs {
		v, err := parseAttr(def.Attr(name), raw)
		if err != nil {
			return nil, err
		}
		s.attrs = append(s.attrs, registry.NamedAttr{Name: name, Value: v})
	}
	slices.SortFunc(s.attrs, func(a, b registry.NamedAttr) int { return cmp.Compare(a.Name, b.Name) })
	for i := range r.Inputs {
		t, err := r.Inputs[i].held().tensor()
		if err != nil {
			t = nil // a variable that has none
		}
		s.inputs = append(s.inputs, t)
	}
	return s, nil
}

// drawn returns a node of an operation with random types, attributes and small inputs; nil
// if it cannot be drawn so.
func drawn(rng *rand.Rand, def *registry.OpDef) *subject {
	s := &subject{op: def.Name}
	for i := range def.Attrs {
		a := &def.Attrs[i]
		if a.Default != nil && rng.IntN(4) > 0 {
			continue
		}
		v := registry.AttrValue{Kind: a.Kind}
		switch a.Kind {
		case registry.KindType:
			if v.Type = plain[rng.IntN(len(plain))]; len(a.AllowedTypes) > 0 {
				v.Type = a.AllowedTypes[rng.IntN(len(a.AllowedTypes))]
			}
		case registry.KindInt:
			v.I = rng.Int64N(4)
		case registry.KindFloat:
			v.F = float32(rng.NormFloat64())
		case registry.KindBool:
			v.B = rng.IntN(2) == 0
		case registry.KindString:
			if len(a.AllowedStrings) > 0 {
				v.S = a.AllowedStrings[rng.IntN(len(a.AllowedStrings))]
			}
		case registry.KindShape:
			v.Shape = registry.Shape{Dims: []int64{2}}
		default:
			if a.Default == nil {
				return nil
			}
			continue
		}
		s.attrs = append(s.attrs, registry.NamedAttr{Name: a.Name, Value: v})
	}
	for _, in := range def.Inputs {
		n, dt := 1, in.Type
		if in.NumberAttr != "" {
			v := s.attrs.Find(in.NumberAttr)
			if v == nil {
				return nil
			}
			n = int(v.I)
		}
		if in.TypeAttr != "" {
			v := s.attrs.Find(in.TypeAttr)
			if v == nil {
				return nil
			}
			dt = v.Type
		}
		if in.TypeListAttr != "" || dt == tensor.Resource || dt == tensor.Variant || dt.IsRef() || dt == tensor.Invalid {
			return nil
		}
		for range n {
			x, err := tensor.New(dt, [][]int64{{}, {2}, {3}, {2, 3}, {1, 4, 4, 2}, {1, 2, 3, 3, 2}}[rng.IntN(6)]...)
			if err != nil {
				return nil
			}
			for range 3 {
				x = kerneltest.Tamper(rng, x)
			}
			s.inputs = append(s.inputs, x)
		}
	}
	return s
}

var plain = []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Int64, tensor.Bool, tensor.String, tensor.Half, tensor.Uint8, tensor.Complex64}

// graph returns the node's, with what feeds it.
func (s *subject) graph() (*nodeGraph, map[graph.Output]*tensor.Tensor, error) {
	g, err := s.build()
	if err != nil {
		return nil, nil, err
	}
	feeds := map[graph.Output]*tensor.Tensor{}
	for i, x := range s.inputs {
		n := g.Operation(fmt.Sprintf("in%d_value", i))
		if p := g.Operation(fmt.Sprintf("in%d", i)); n == nil || p != nil && p.Type() == "PlaceholderWithDefault" {
			n = p
		}
		if n != nil && x != nil {
			feeds[n.Output(0)] = x
		}
	}
	return g, feeds, nil
}

func (s *subject) build() (*nodeGraph, error) {
	if s.row != nil {
		return s.row.graphOf(s.attrs)
	}
	op, err := registry.Global.Lookup(s.op)
	if err != nil {
		return nil, err
	}
	types := make([]tensor.DType, len(s.inputs))
	for i, x := range s.inputs {
		types[i] = x.DType()
	}
	resolved, err := registry.InferFlat(op, s.attrs, types)
	if err != nil {
		return nil, err
	}
	attrs := map[string]any{}
	for _, a := range resolved.Attrs {
		attrs[a.Name] = a.Value
	}
	g := &nodeGraph{Graph: graph.New()}
	outs := make(graph.OutputList, len(s.inputs))
	for i, dt := range resolved.Inputs {
		if dt.IsRef() {
			return nil, errors.New("it is a reference")
		}
		if outs[i], err = g.add("Placeholder", fmt.Sprintf("in%d", i), map[string]any{"dtype": dt, "shape": graph.Shape{}}); err != nil {
			return nil, err
		}
	}
	inputs, err := arguments(op, attrs, outs)
	if err != nil {
		return nil, err
	}
	if g.op, err = g.AddOperation(graph.OpSpec{Type: s.op, Name: "op", Input: inputs, Attrs: attrs}); err != nil {
		return nil, err
	}
	for i := range g.op.NumOutputs() {
		if out := g.op.Output(i); out.DataType() != tensor.Resource {
			g.fetches = append(g.fetches, out)
		}
	}
	return g, nil
}

// tampered returns the subject with other attributes or inputs.
func (s *subject) tampered(rng *rand.Rand) *subject {
	c := *s
	c.attrs, c.inputs = slices.Clone(s.attrs), slices.Clone(s.inputs)
	for range 1 + rng.IntN(3) {
		if n := len(c.attrs); n > 0 && rng.IntN(4) == 0 {
			a := &c.attrs[rng.IntN(n)]
			a.Value = tamperedAttr(rng, a.Value)
			continue
		}
		if len(c.inputs) == 0 {
			continue
		}
		i := rng.IntN(len(c.inputs))
		switch x := c.inputs[i]; {
		case x == nil:
		case rng.IntN(8) == 0:
			c.inputs[i] = repeated(x, grown(x.Dims(), rng.IntN(8), 1+rng.Int64N(1000)))
		default:
			c.inputs[i] = kerneltest.Tamper(rng, x)
		}
	}
	return &c
}

func tamperedAttr(rng *rand.Rand, v registry.AttrValue) registry.AttrValue {
	switch v.Kind {
	case registry.KindInt:
		v.I = []int64{-1, 0, 1, 2, 3, 100, 1 << 20, math.MaxInt32, math.MaxInt32 + 1, math.MaxInt64, math.MinInt64}[rng.IntN(11)]
	case registry.KindFloat:
		v.F = []float32{0, -1, 1, 1e30, float32(math.Inf(1)), float32(math.NaN()), 1e-30}[rng.IntN(7)]
	case registry.KindBool:
		v.B = !v.B
	case registry.KindString:
		if len(v.S) > 0 && rng.IntN(2) == 0 {
			v.S = v.S[:rng.IntN(len(v.S))]
		} else {
			v.S += "\xff"
		}
	case registry.KindType:
		v.Type = plain[rng.IntN(len(plain))]
	case registry.KindShape:
		v.Shape = []registry.Shape{{Unknown: true}, {}, {Dims: []int64{-1}}, {Dims: []int64{0}}, {Dims: []int64{1 << 31, 1 << 31}}, {Dims: []int64{1 << 62}}}[rng.IntN(6)]
	default:
		if !v.Kind.IsList() || len(v.List) == 0 {
			break
		}
		v.List = slices.Clone(v.List)
		switch i := rng.IntN(len(v.List)); rng.IntN(4) {
		case 0:
			v.List = v.List[:i]
		case 1:
			v.List = append(v.List, v.List[i])
		default:
			v.List[i] = tamperedAttr(rng, v.List[i])
		}
	}
	return v
}

// grown returns a shape whose dimension i, counted around, is factor times as large.
func grown(dims []int64, i int, factor int64) []int64 {
	dims = slices.Clone(dims)
	if len(dims) > 0 {
		dims[i%len(dims)] *= factor
	}
	return dims
}

// repeated returns a tensor of another shape with x's elements again and again; x itself if
// that would be too large.
func repeated(x *tensor.Tensor, dims []int64) *tensor.Tensor {
	n, err := tensor.NumElements(x.DType(), dims)
	if err != nil || n > 1<<24 || x.NumElements() == 0 {
		return x
	}
	big, err := tensor.New(x.DType(), dims...)
	if err != nil {
		return x
	}
	from, to := tensor.ValueOf(x), tensor.ValueOf(big)
	switch x.DType() {
	case tensor.Variant, tensor.Resource:
		return x
	case tensor.String:
		src, dst := tensor.Of[string](&from), tensor.Of[string](&to)
		for i := range dst {
			dst[i] = src[i%len(src)]
		}
	default:
		src, dst := tensor.Bytes(&from), tensor.Bytes(&to)
		for i := 0; i < len(dst); i += len(src) {
			copy(dst[i:], src)
		}
	}
	return to.Tensor()
}
