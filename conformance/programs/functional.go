package programs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Functional writes the program as [Program.Lower] does, but with its branches
// and loops as If and While nodes, whose functions are given all variables in
// sight, needed or not, and all of it in a function that is called. A program
// that runs it links the functional operations.
func (p *Program) Functional() (g *graph.Graph, inputs, results []graph.Output) {
	g = graph.New()
	l := &lowering{g: g}
	root := &closure{lowering: l, vars: map[Var]graph.Output{}}
	for i := range p.Inputs {
		in := l.add("Placeholder", fmt.Sprintf("in%d", i), nil, attrs{"dtype": tensor.Int32, "shape": graph.ScalarShape()}).Output(0)
		inputs = append(inputs, in)
		root.vars[Var(i)] = in
	}
	name, in := root.function(nil, func(c *closure, _ []graph.Output) []graph.Output {
		c.block(p.Body)
		return c.all(p.Results)
	})
	call := l.add("StatefulPartitionedCall", "main", []graph.Input{in}, attrs{"f": name, "Tin": typesOf(in), "Tout": int32s(len(p.Results))})
	for i := range p.Results {
		results = append(results, call.Output(i))
	}
	return g, inputs, results
}

// A closure is a function's body that is being written, or the program itself.
type closure struct {
	*lowering
	parent *closure
	vars   map[Var]graph.Output
}

func (c *closure) op(op string, a attrs, in ...graph.Output) graph.Output {
	return c.add(op, "", inputsOf(in...), a).Output(0)
}

func (c *closure) literal(x any) graph.Output {
	t, err := tensor.NewTensor(x)
	if err != nil {
		panic(err)
	}
	return c.op("Const", attrs{"value": t, "dtype": t.DType()})
}

func (c *closure) all(vars []Var) []graph.Output {
	list := make([]graph.Output, len(vars))
	for i, v := range vars {
		list[i] = c.vars[v]
	}
	return list
}

// function makes a function of what body writes, and answers what to call it
// with: extra, then all variables in sight. body is given what extra is inside.
func (c *closure) function(extra []graph.Output, body func(c *closure, extra []graph.Output) []graph.Output) (*registry.Func, graph.OutputList) {
	inner := &closure{lowering: &lowering{g: graph.New()}, parent: c, vars: map[Var]graph.Output{}}
	for _, f := range c.g.Functions() {
		inner.know(f)
	}
	in := slices.Clone(extra)
	seen := slices.Sorted(maps.Keys(c.vars))
	in = append(in, c.all(seen)...)
	args := make([]graph.Output, len(in))
	for i, o := range in {
		args[i] = inner.op("_Arg", attrs{"T": o.DataType(), "index": int64(i)})
		if i >= len(extra) {
			inner.vars[seen[i-len(extra)]] = args[i]
		}
	}
	for i, o := range body(inner, args[:len(extra)]) {
		inner.add("_Retval", "", inputsOf(o), attrs{"T": o.DataType(), "index": int64(i)})
	}
	b, err := graph.NewBody(inner.g)
	if err != nil {
		panic(err)
	}
	top := c
	for top.parent != nil {
		top = top.parent
	}
	top.n++
	f, err := b.Function(fmt.Sprintf("f%d", top.n), nil)
	if err != nil {
		panic(err)
	}
	for p := c; p != nil; p = p.parent {
		for _, g := range inner.g.Functions() {
			p.know(g)
		}
		p.know(f)
	}
	return &registry.Func{Name: f.Name}, in
}

func (c *closure) know(f *graph.Function) {
	if err := c.g.AddFunction(f, nil); err != nil {
		panic(err)
	}
}

func typesOf(outs []graph.Output) []tensor.DType {
	types := make([]tensor.DType, len(outs))
	for i, o := range outs {
		types[i] = o.DataType()
	}
	return types
}

func int32s(n int) []tensor.DType { return slices.Repeat([]tensor.DType{tensor.Int32}, n) }

func (c *closure) block(b Block) {
	for _, st := range b {
		switch st := st.(type) {
		case *Assign:
			c.vars[st.To] = c.op(opNames[st.Op], nil, c.vars[st.A], c.vars[st.B])
		case *Literal:
			c.vars[st.To] = c.literal(st.Value)
		case *Branch:
			c.branch(st)
		case *Loop:
			c.loop(st)
		case *Collect:
			c.collect(st)
		}
	}
}

func (c *closure) branch(b *Branch) {
	side := func(block Block, out []Var) (*registry.Func, graph.OutputList) {
		return c.function(nil, func(c *closure, _ []graph.Output) []graph.Output {
			c.block(block)
			return c.all(out)
		})
	}
	then, in := side(b.Then, b.ThenOut)
	otherwise, _ := side(b.Else, b.ElseOut)
	pred := c.op("Less", nil, c.vars[b.A], c.vars[b.B])
	n := c.add("If", "", []graph.Input{pred, in}, attrs{
		"then_branch": then, "else_branch": otherwise, "Tin": typesOf(in), "Tout": int32s(len(b.To))})
	for i, to := range b.To {
		c.vars[to] = n.Output(i)
	}
}

// while writes a While: turns, of which there are at most limit, then vars, then
// what is in sight. It answers the last values of vars.
func (c *closure) while(parallel int, limit graph.Output, vars []graph.Output, going func(c *closure, vars []graph.Output) graph.Output,
	turn func(c *closure, counter graph.Output, vars []graph.Output) []graph.Output) []graph.Output {
	extra := append([]graph.Output{c.literal(int32(0)), limit}, vars...)
	cond, in := c.function(extra, func(c *closure, in []graph.Output) []graph.Output {
		pred := c.op("Less", nil, in[0], in[1])
		if going != nil {
			pred = c.op("LogicalAnd", nil, pred, going(c, in[2:]))
		}
		return []graph.Output{pred}
	})
	body, _ := c.function(extra, func(c *closure, in []graph.Output) []graph.Output {
		kept := c.all(slices.Sorted(maps.Keys(c.vars)))
		next := turn(c, in[0], in[2:])
		return slices.Concat([]graph.Output{c.op("AddV2", nil, in[0], c.literal(int32(1))), in[1]}, next, kept)
	})
	n := c.add("While", "", []graph.Input{in}, attrs{"cond": cond, "body": body, "T": typesOf(in), "parallel_iterations": int64(parallel)})
	last := make([]graph.Output, len(vars))
	for i := range vars {
		last[i] = n.Output(2 + i)
	}
	return last
}

func (c *closure) loop(w *Loop) {
	limit := c.op("TruncateMod", nil, c.vars[w.Trips], c.literal(int32(maxTrips)))
	var going func(*closure, []graph.Output) graph.Output
	if w.Stop != nil {
		going = func(c *closure, vars []graph.Output) graph.Output { return c.op("Less", nil, vars[0], c.vars[*w.Stop]) }
	}
	last := c.while(w.Parallel, limit, c.all(w.Init), going, func(c *closure, counter graph.Output, vars []graph.Output) []graph.Output {
		c.vars[w.Counter] = counter
		for i, v := range w.Carried {
			c.vars[v] = vars[i]
		}
		c.block(w.Body)
		return c.all(w.Next)
	})
	for i, to := range w.To {
		c.vars[to] = last[i]
	}
}

func (c *closure) collect(w *Collect) {
	array := c.add("TensorArrayV3", "", inputsOf(c.literal(int32(w.Size))), attrs{
		"dtype": tensor.Int32, "clear_after_read": false, "element_shape": graph.ScalarShape()})
	last := c.while(2, c.literal(int32(w.Size)), []graph.Output{array.Output(0), array.Output(1)}, nil,
		func(c *closure, counter graph.Output, vars []graph.Output) []graph.Output {
			c.vars[w.Counter] = counter
			c.block(w.Body)
			return []graph.Output{vars[0], c.op("TensorArrayWriteV3", nil, vars[0], counter, c.vars[w.Item], vars[1])}
		})
	at := c.op("FloorMod", nil, c.vars[w.At], c.literal(int32(w.Size)))
	c.vars[w.To] = c.op("TensorArrayReadV3", attrs{"dtype": tensor.Int32}, last[0], at, last[1])
}
