package programs

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// function makes a function of the arguments args, of the types that they have
// outside, which gives what body answers. A nameless one gets a name.
func (s *scope) function(name string, args []Var, types []tensor.DType, body func(in *scope) []output) *registry.Func {
	root := s.l.root
	if name == "" {
		name = root.functionName()
	}
	l := &lowering{p: s.l.p, g: graph.New(), root: root, form: s.l.form, free: map[output]bool{}}
	in := &scope{l: l, region: region.Root(l), vars: map[Var]output{}}
	for i, v := range args {
		in.vars[v] = l.add("_Arg", "", nil, attrs{"T": types[i], "index": int64(i)}).Output(0)
	}
	for i, o := range body(in) {
		l.add("_Retval", "", []graph.Input{o}, attrs{"T": o.DataType(), "index": int64(i)})
	}
	b, err := graph.NewBody(l.g)
	if err == nil {
		if s.l.p.Loose && s.l.form == Functions {
			b.Controls = effects(l.g)
		}
		var f *graph.Function
		if f, err = b.Function(name, nil); err == nil {
			err = root.g.AddFunction(f, nil)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("programs: function %s: %v", name, err))
	}
	return &registry.Func{Name: name}
}

// effects returns the stateful nodes of a body as control outputs.
func effects(g *graph.Graph) (list []graph.ControlOutput) {
	for _, n := range g.Nodes() {
		if n.Def().Stateful && n.Class() != graph.ClassArg && n.Class() != graph.ClassRetval {
			list = append(list, graph.ControlOutput{Name: n.Name(), Op: n})
		}
	}
	return list
}

func (l *lowering) functionName() string {
	l.n++
	return fmt.Sprintf("function_%d", l.n)
}

// gives returns what a function returns. Where all is functions it need not say what
// its effects were: a call is over when what it lists as control outputs has happened.
func (s *scope) gives(vars []Var) []output {
	list := s.uses(vars)
	for i, v := range vars {
		if s.l.p.Loose && s.l.form == Functions && s.l.p.Types[v].Kind == Flow {
			list[i] = s.constant(float32(0))
		}
	}
	return list
}

func typesOf(outs []output) []tensor.DType {
	types := make([]tensor.DType, len(outs))
	for i, o := range outs {
		types[i] = o.DataType()
	}
	return types
}

// results assigns a node's outputs.
func (s *scope) results(to []Var, n *graph.Node) {
	for i, v := range to {
		s.set(v, n.Output(i))
	}
}

// held returns the types of variables as tensors of a graph.
func (s *scope) held(vars []Var) []tensor.DType {
	types := make([]tensor.DType, len(vars))
	for i, v := range vars {
		switch t := s.l.p.Types[v]; t.Kind {
		case Tensor, Shared:
			types[i] = t.DType
		case List:
			types[i] = tensor.Variant
		case Handle:
			types[i] = tensor.Resource
		case Flow:
			types[i] = tensor.Float
		}
	}
	return types
}

func (s *scope) callChoice(st *Choice) {
	var extra []Var
	for _, o := range st.Outs {
		extra = append(extra, o...)
	}
	args := captures(extra, nil, st.Blocks...)
	in := s.uses(args)
	types := s.held(st.To)
	if st.Which != nil {
		types = append(types, tensor.Int32)
	}
	var branches []*registry.Func
	for i, b := range st.Blocks {
		branches = append(branches, s.function("", args, typesOf(in), func(in *scope) []output {
			in.block(b)
			outs := in.gives(st.Outs[i])
			if st.Which != nil {
				which := in.int(i)
				if len(outs) > 0 { // it comes with the first value, as a Merge's does
					which = in.op("Identity", nil, which, control{outs[0].Op})
				}
				outs = append(outs, which)
			}
			return outs
		}))
	}
	a := attrs{"Tin": typesOf(in), "Tout": types}
	op := "If"
	if st.Multi {
		op, a["branches"] = "Case", branches
	} else {
		a["else_branch"], a["then_branch"] = branches[0], branches[1]
	}
	n := s.node(op, "", []any{s.use(st.Index), outputList(in)}, a)
	s.results(st.To, n)
	if st.Which != nil {
		s.set(*st.Which, n.Output(len(st.To)))
	}
}

func (s *scope) callLoop(st *Loop) {
	kept := captures(append([]Var{st.Going}, st.Next...), st.Carried, st.Test, st.Body)
	in := append(s.uses(st.Init), s.uses(kept)...)
	args := append(append([]Var{}, st.Carried...), kept...)
	cond := s.function("", args, typesOf(in), func(in *scope) []output {
		in.block(st.Test)
		return []output{in.use(st.Going)}
	})
	body := s.function("", args, typesOf(in), func(in *scope) []output {
		in.block(st.Body)
		return append(in.gives(st.Next), in.uses(kept)...)
	})
	shapes := make([]graph.Shape, len(in))
	for i, v := range args {
		if t := s.l.p.Types[v]; t.Kind == Tensor {
			shapes[i] = graphShape(t.Dims)
		} else if t.Kind == Flow {
			shapes[i] = graph.ScalarShape()
		}
	}
	n := s.node("While", "", []any{outputList(in)}, attrs{"cond": cond, "body": body, "T": typesOf(in),
		"parallel_iterations": int64(st.Parallel), "output_shapes": shapes})
	s.results(st.To, n)
}

func (st *Call) lower(s *scope) {
	args := captures(st.Outs, nil, st.Body)
	in := s.uses(args)
	f := s.function("", args, typesOf(in), func(in *scope) []output {
		in.block(st.Body)
		return in.gives(st.Outs)
	})
	n := s.node("StatefulPartitionedCall", "", []any{outputList(in)}, attrs{"f": f, "Tin": typesOf(in), "Tout": s.held(st.To)})
	s.results(st.To, n)
}

func (st *Recursion) lower(s *scope) {
	extra := append(append(append([]Var{}, st.BaseOuts...), st.AfterOuts...), st.Again...)
	kept := captures(extra, append(append([]Var{}, st.Params...), st.Inner...), st.Base, st.Before, st.After)
	args := append(append([]Var{}, st.Params...), kept...)
	in := append(s.uses(st.Args), s.uses(kept)...)
	self := s.l.root.functionName()
	types := s.held(st.To)
	f := s.function(self, args, typesOf(in), func(in *scope) []output {
		now := in.uses(args)
		base := in.function("", args, typesOf(now), func(in *scope) []output {
			in.block(st.Base)
			return in.gives(st.BaseOuts)
		})
		again := in.function("", args, typesOf(now), func(in *scope) []output {
			in.block(st.Before)
			next := append(in.uses(st.Again), in.uses(kept)...)
			in.results(st.Inner, in.node("StatefulPartitionedCall", "", []any{outputList(next)},
				attrs{"f": &registry.Func{Name: self}, "Tin": typesOf(next), "Tout": types}))
			in.block(st.After)
			return in.gives(st.AfterOuts)
		})
		deeper := in.op("Greater", nil, in.use(st.Params[0]), in.int(0))
		n := in.node("If", "", []any{deeper, outputList(now)}, attrs{"then_branch": again, "else_branch": base, "Tin": typesOf(now), "Tout": types})
		outs := make([]output, len(types))
		for i := range outs {
			outs[i] = n.Output(i)
		}
		return outs
	})
	s.results(st.To, s.node("StatefulPartitionedCall", "", []any{outputList(in)}, attrs{"f": f, "Tin": typesOf(in), "Tout": types}))
}
