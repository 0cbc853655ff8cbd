package programs

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// DrawRecursion draws functions that call themselves and each other, for callers whose calls run as
// batches: products of rows and weights, conditionals, and tables of any length that each caller
// brings, of which calls read elements. The first input is how deep calls go.
func DrawRecursion(src Source) (*Meeting, error) {
	d := &meeting{src: src, m: &Meeting{Graph: graph.New()}, recursive: true}
	d.sizes = []int{1 + d.int(3), 1 + d.int(4), 1 + d.int(5)}
	d.vars = []Type{tensorType(tensor.Int32), tensorType(tensor.Int32)}
	for range 1 + d.int(3) {
		d.vars = append(d.vars, tensorType(tensor.Float, d.size(), d.size()))
	}
	d.changing = len(d.vars)
	for _, a := range d.sizes {
		for _, b := range d.sizes {
			d.vars = append(d.vars, tensorType(tensor.Float, a, b))
		}
	}
	d.vars = append(d.vars, tensorType(tensor.Float, maxWord, d.size()))
	args := append(append([]Type(nil), d.vars...), tensorType(tensor.Int32, -1), tensorType(tensor.Float, -1, d.vars[2].Dims[0], d.vars[2].Dims[1]))

	functions := 1 + d.int(3)
	for i := range functions {
		for _, part := range []string{"stop", "go"} {
			err := d.function(fmt.Sprint(part, i), args, func(s *scene) []graph.Output {
				for range 1 + d.int(5) {
					s.statement()
				}
				if part == "go" {
					for range 1 + d.int(2) + d.int(2) {
						s.calls(d.int(functions))
						for range d.int(4) {
							s.statement()
						}
					}
				}
				return s.results()
			})
			if err != nil {
				return nil, err
			}
		}
		err := d.function(fmt.Sprint("f", i), args, func(s *scene) []graph.Output {
			more := s.Op("Less", nil, s.Const(int32(0)), s.args[0].Output)
			var in graph.OutputList
			for _, a := range s.args {
				in = append(in, a.Output)
			}
			n := s.Add(graph.OpSpec{Type: "If", Input: []graph.Input{more, in}, Attrs: graph.Attrs{
				"Tout": s.resultTypes(), "then_branch": &registry.Func{Name: fmt.Sprint("go", i)}, "else_branch": &registry.Func{Name: fmt.Sprint("stop", i)},
			}})
			if n == nil {
				return nil
			}
			var out []graph.Output
			for k := range n.NumOutputs() {
				out = append(out, n.Output(k))
			}
			return out
		})
		if err != nil {
			return nil, err
		}
	}

	b := graph.NewBuilder(d.m.Graph)
	var in graph.OutputList
	for i, v := range args {
		if i < d.changing || i >= len(d.vars) {
			dims := make([]int64, len(v.Dims))
			for i, n := range v.Dims {
				dims[i] = int64(n)
			}
			p := b.Op("Placeholder", graph.Attrs{"dtype": v.DType, "shape": registry.ShapeAttr(registry.Shape{Dims: dims})})
			d.m.Feeds, d.m.Inputs = append(d.m.Feeds, p), append(d.m.Inputs, v)
			in = append(in, p)
			continue
		}
		in = append(in, d.initial(b, i, v, in))
	}
	s := &scene{meeting: d, Builder: b}
	n := b.Add(graph.OpSpec{Type: "StatefulPartitionedCall", Name: "call", Input: []graph.Input{in}, Attrs: graph.Attrs{"Tout": s.resultTypes(), "f": &registry.Func{Name: "f0"}}})
	if err := b.Err(); err != nil {
		return nil, err
	}
	for k := range n.NumOutputs() {
		d.m.Fetches = append(d.m.Fetches, b.Op("Identity", nil, n.Output(k)))
	}
	return d.m, b.Err()
}

// resultTypes are those of each function's results: rows of the types of its arguments.
func (s *scene) resultTypes() registry.AttrValue {
	var list []registry.AttrValue
	for range s.vars[2:s.changing] {
		list = append(list, registry.TypeAttr(tensor.Float))
	}
	return registry.ListAttr(registry.KindType, list...)
}

// results returns a value of each type.
func (s *scene) results() (list []graph.Output) {
	for i, v := range s.vars[2:s.changing] {
		if i == 0 { // one product at least
			list = append(list, s.Op("Tanh", nil, s.product(v.Dims[1]).rows(s, v.Dims[0]).Output))
			continue
		}
		list = append(list, s.fit(v).Output)
	}
	return list
}

// calls calls a function, with less before it.
func (s *scene) calls(f int) {
	less := s.Op("Sub", nil, s.args[0].Output, s.Const(int32(1+s.int(2))))
	other := s.Op("FloorMod", nil, s.Op("AddV2", nil, s.args[1].Output, s.Const(int32(s.int(5)))), s.Const(int32(maxWord+1)))
	table, rows := s.args[len(s.vars)], s.args[len(s.vars)+1]
	if s.one(2) { // from a table
		at := other
		if !s.one(3) {
			at = s.Op("FloorMod", nil, at, s.Const(int32(2)))
		}
		if s.one(2) {
			other = s.Op("GatherV2", nil, table.Output, at, s.Const(int32(0)))
		} else {
			after := s.Op("AddV2", nil, at, s.Const(int32(1)))
			other = s.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)}, table.Output,
				s.Op("Pack", nil, graph.OutputList{at}), s.Op("Pack", nil, graph.OutputList{after}), s.Const([]int32{1}))
		}
	}
	if s.one(3) {
		s.is("GatherV2", nil, s.vars[2], rows.Output, s.Op("FloorMod", nil, s.args[1].Output, s.Const(int32(1+s.int(2)))), s.Const(int32(0)))
	}
	in := graph.OutputList{less, other}
	for i, a := range s.args[2:] {
		if i+2 < s.changing && !s.one(4) {
			in = append(in, s.fit(a.Type).Output)
		} else {
			in = append(in, a.Output)
		}
	}
	op := []string{"PartitionedCall", "StatefulPartitionedCall"}[s.int(2)]
	n := s.Add(graph.OpSpec{Type: op, Input: []graph.Input{in}, Attrs: graph.Attrs{"Tout": s.resultTypes(), "f": &registry.Func{Name: fmt.Sprint("f", f)}}})
	if n == nil {
		return
	}
	for i, v := range s.vars[2:s.changing] {
		s.seen = append(s.seen, made{n.Output(i), v})
	}
	s.m.Body = append(s.m.Body, fmt.Sprint("call of f", f))
}
