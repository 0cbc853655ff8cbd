package elementwise

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Part is a node that a fused one stands for.
type Part struct {
	Node, Op string
	Kernel   kernel.Kernel
	In       []int // what it takes: inputs of the fused node, and behind them results of the parts before
}

// Blame reports which part failed.
func (p *Part) Blame(err error) error {
	e := *status.From(err)
	if e.Node == "" {
		e.Node, e.Op = p.Node, p.Op
	}
	return &e
}

// Separately runs parts one after another, as the nodes that they stand for would run: for
// what their fused kernel is not made for, and to fail as they would. done is results of
// the first parts that are there already, which it gives back. The result is that of
// the last.
func Separately(ctx *kernel.Context, parts []Part, in, done, out []tensor.Value) (err error) {
	c := *ctx
	c.Keep, c.Slots = ^uint64(0), nil // nothing is reused
	results := make([]tensor.Value, len(parts))
	copy(results, done)
	defer func() {
		for i, v := range results {
			if i < len(parts)-1 || err != nil {
				ctx.Free(v)
			}
		}
	}()
	for i := len(done); i < len(parts); i++ {
		p := &parts[i]
		args := make([]tensor.Value, len(p.In))
		for k, from := range p.In {
			if from < len(in) {
				args[k] = in[from]
			} else {
				args[k] = results[from-len(in)]
			}
		}
		outs := make([]tensor.Value, 8) // FusedBatchNormV3 has six
		if err := p.Kernel.Run(&c, args, outs[:]); err != nil {
			return p.Blame(err)
		}
		results[i] = outs[0]
		for _, v := range outs[1:] {
			ctx.Free(v)
		}
	}
	out[0] = results[len(parts)-1]
	return nil
}

// A Fused is the kernel of several elementwise operations on elements of one type, each
// of which takes inputs or what those before have made.
type Fused[T Float] struct {
	dt     tensor.DType
	inputs int
	parts  []Part
	chain  *Chain[T] // nil if an operation has no loops
	alike  []bool    // by part: its operands must have one shape; nil if those of none must
}

// NewFused makes the kernel of parts, the last of which makes the result.
func NewFused[T Float](dt tensor.DType, inputs int, parts []Part) *Fused[T] {
	f := &Fused[T]{dt: dt, inputs: inputs, parts: parts}
	if links, alike, ok := Links[T](parts); ok {
		f.chain = NewChain(inputs, links)
		if slices.Contains(alike, true) {
			f.alike = alike
		}
	}
	return f
}

// Links is parts as links of a chain, and which of them refuse or reinterpret operands of
// different shapes; ok is false if one has no loops.
func Links[T Float](parts []Part) (links []Link[T], alike []bool, ok bool) {
	alike = make([]bool, len(parts))
	for i := range parts {
		p := &parts[i]
		k := p.Kernel
		k, alike[i] = withoutShapes(k)
		switch k := k.(type) {
		case Loop[T, T]:
			if len(p.In) != 1 {
				return nil, nil, false
			}
			links = append(links, Link[T]{One: k, X: p.In[0]})
		case *Zip[T, T]:
			if len(p.In) != 2 || k.Check != nil {
				return nil, nil, false
			}
			links = append(links, Link[T]{Two: k, X: p.In[0], Y: p.In[1]})
		case Loops[T, T]:
			if len(p.In) != 2 {
				return nil, nil, false
			}
			links = append(links, Link[T]{Two: k, X: p.In[0], Y: p.In[1]})
		default:
			return nil, nil, false
		}
	}
	return links, alike, true
}

// allAlike reports whether the operands of every part have one shape where they must. whole
// says which inputs have the shape of the result.
func (f *Fused[T]) allAlike(whole []bool) bool {
	for i := range f.parts {
		any, all := false, true
		for _, from := range f.parts[i].In {
			any, all = any || whole[from], all && whole[from]
		}
		if f.alike[i] && !all {
			return false
		}
		whole = append(whole, any)
	}
	return true
}

// Run computes all parts, in one pass where their operands allow it.
func (f *Fused[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if f.chain == nil {
		return Separately(ctx, f.parts, in, nil, out)
	}
	largest := 0
	for i := range in {
		if a, b := in[i].NumElements(), in[largest].NumElements(); a > b || a == b && in[i].Rank() > in[largest].Rank() {
			largest = i
		}
	}
	dims := in[largest].Dims()
	n := in[largest].NumElements()
	var few [8]Operand[T]
	operands := few[:0]
	for i := range in {
		x, ok := OperandOf[T](&in[i], dims)
		if !ok {
			if done, err := f.runSpread(ctx, in, out); done {
				return err
			}
			return Separately(ctx, f.parts, in, nil, out)
		}
		operands = append(operands, x)
	}
	if len(dims) == 0 || n == 0 || !f.chain.Fits(n, operands) {
		return Separately(ctx, f.parts, in, nil, out)
	}
	if f.alike != nil {
		var room [64]bool
		whole := room[:0]
		for i := range in {
			whole = append(whole, equal(in[i].Dims(), dims))
		}
		if !f.allAlike(whole) {
			return Separately(ctx, f.parts, in, nil, out)
		}
	}
	v, err := f.result(ctx, in, dims)
	if err != nil {
		return err
	}
	out[0] = v
	return f.chain.Compute(ctx, tensor.Of[T](&out[0]), operands)
}

// result is memory for the result: that of an input which is no longer needed when
// it is written to.
func (f *Fused[T]) result(ctx *kernel.Context, in []tensor.Value, dims []int64) (tensor.Value, error) {
	for i := range in {
		if f.chain.Overwrites(i) && !in[i].Shared() && equal(in[i].Dims(), dims) {
			if v, ok := ctx.Reuse(in, i); ok {
				return v, nil
			}
		}
	}
	return ctx.Alloc(f.dt, dims)
}

// Parts makes the parts of a fused node of type T, of which c says the device. operands
// is what they take, one after another; results of parts are counted behind the
// node's inputs.
func Parts(c *kernel.Construction, ops, nodes []string, operands []int64) ([]Part, error) {
	if len(nodes) != len(ops) {
		return nil, c.Errorf("%d operations have %d names", len(ops), len(nodes))
	}
	parts := make([]Part, len(ops))
	for i, op := range ops {
		p, n, err := PartOf(c, op, nodes[i], "T")
		if err != nil {
			return nil, err
		}
		if n > len(operands) {
			return nil, c.Errorf("%d operands are too few for %d operations", len(operands), len(ops))
		}
		for _, from := range operands[:n] {
			if from < 0 || from >= int64(len(c.Inputs)+i) {
				return nil, c.Errorf("operation %d takes %d of %d", i, from, len(c.Inputs)+i)
			}
			p.In = append(p.In, int(from))
		}
		operands = operands[n:]
		parts[i] = p
	}
	if len(operands) > 0 {
		return nil, c.Errorf("%d operands are left over", len(operands))
	}
	return parts, nil
}

// PartOf makes a part of a fused node of type T, of which c says the device: the node of an
// operation whose attribute attr is that type. It also returns how many operands the part
// takes, which the caller sets.
func PartOf(c *kernel.Construction, op, node, attr string) (p Part, inputs int, err error) {
	def, err := registry.Global.Lookup(op)
	if err != nil {
		return p, 0, err
	}
	r, err := registry.Resolve(def, registry.Attrs{{Name: attr, Value: registry.TypeAttr(c.Type("T"))}})
	if err != nil {
		return p, 0, err
	}
	p = Part{Node: node, Op: op}
	p.Kernel, err = kernel.Make("CPU", &kernel.Construction{
		Node: node, Op: def, Attrs: r.Attrs, Inputs: r.Inputs, Outputs: r.Outputs, Device: c.Device,
	})
	return p, len(r.Inputs), err
}

// OfOneForm reports whether a kernel refuses or reinterprets operands of different shapes.
func OfOneForm(k kernel.Kernel) bool {
	_, had := withoutShapes(k)
	return had
}
