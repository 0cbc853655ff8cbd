package state

import (
	"errors"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("_FusedUpdate").
		Input("resources: M * resource").Input("inputs: N * T").
		Writes("resources").
		Attr("M: int >= 1").
		Attr("N: int >= 0").
		Attr("T: {float, double}").
		Attr("ops: list(string) >= 1").
		Attr("operands: list(int) >= 1").
		Attr("nodes: list(string) >= 1").
		Stateful().
		Doc(`Updates variables of one shape in one pass over their elements, as the rewriting of programs writes it.

resources: The variables.
inputs: What the operations take from outside.
ops: The operations, in order: elementwise ones, ReadVariableOp, and AssignVariableOp, AssignAddVariableOp and AssignSubVariableOp.
operands: What each takes, one after another: variables and inputs by their number, and behind them the results of the operations before.
nodes: The names of the nodes that the operations were, for errors.`)
	shape.Register(func(*shape.Context) error { return nil }, "_FusedUpdate")
	kernel.ForType("_FusedUpdate", "T", tensor.Float, newFusedUpdate[float32])
	kernel.ForType("_FusedUpdate", "T", tensor.Double, newFusedUpdate[float64])
}

// A fusedUpdate is the kernel of several updates and what computes them. Each update ends a
// chain, and all chains pass over a tile before the next tile, so that what one writes the
// next finds in the first cache. Every element is computed by the operations in their
// order: bits are those that the parts have alone.
type fusedUpdate[T elementwise.Float] struct {
	dt        tensor.DType
	variables int
	inputs    int
	parts     []elementwise.Part
	updates   []updateChain[T] // nil: the parts run one after another
	targets   []resource.Target
}

// An updateChain computes the next value of a variable. Its operands are all variables, as
// the chains before it have left them, and the inputs.
type updateChain[T elementwise.Float] struct {
	variable int
	chain    *elementwise.Chain[T]
}

// errApart says that operands are not as one pass has them.
var errApart = errors.New("the parts run one after another")

func newFusedUpdate[T elementwise.Float](c *kernel.Construction) (kernel.Kernel, error) {
	k := &fusedUpdate[T]{dt: c.Type("T"), variables: int(c.Int("M")), inputs: int(c.Int("N"))}
	k.targets = make([]resource.Target, k.variables)
	ops, nodes, operands := c.Strs("ops"), c.Strs("nodes"), c.Ints("operands")
	if len(nodes) != len(ops) {
		return nil, c.Errorf("%d operations have %d names", len(ops), len(nodes))
	}
	for i, op := range ops {
		name, attr := op, "T"
		if stateful[op] {
			attr = "dtype"
		}
		p, n, err := elementwise.PartOf(c, name, nodes[i], attr)
		if err != nil {
			return nil, err
		}
		if n > len(operands) {
			return nil, c.Errorf("%d operands are too few for %d operations", len(operands), len(ops))
		}
		for j, from := range operands[:n] {
			if from < 0 || from >= int64(k.variables+k.inputs+i) || (from < int64(k.variables)) != (stateful[op] && j == 0) {
				return nil, c.Errorf("operation %d takes %d of %d", i, from, k.variables+k.inputs+i)
			}
			if at := int(from) - k.variables - k.inputs; at >= 0 && stateful[ops[at]] && ops[at] != "ReadVariableOp" {
				return nil, c.Errorf("operation %d takes the result of %s, which has none", i, ops[at])
			}
			p.In = append(p.In, int(from))
		}
		operands = operands[n:]
		k.parts = append(k.parts, p)
	}
	if len(operands) > 0 {
		return nil, c.Errorf("%d operands are left over", len(operands))
	}
	k.updates = k.chains(c)
	return k, nil
}

// stateful are the operations on variables.
var stateful = map[string]bool{"ReadVariableOp": true, "AssignVariableOp": true, "AssignAddVariableOp": true, "AssignSubVariableOp": true}

// chains returns the parts as one chain for each update; nil if they cannot be.
func (k *fusedUpdate[T]) chains(c *kernel.Construction) (list []updateChain[T]) {
	outside := k.variables + k.inputs
	at := make([]int, outside+len(k.parts)) // by operand: its number in the chain; -1: it has none any more
	for i := range at {
		if at[i] = i; i >= outside {
			at[i] = -1
		}
	}
	written := make([]bool, k.variables)
	reads := make([][]int, k.variables) // operands that are the variable's value
	var links []elementwise.Link[T]
	var inside []int // operands that are results of links
	add := func(p elementwise.Part, in ...int) bool {
		q := elementwise.Part{Kernel: p.Kernel}
		for _, from := range in {
			if at[from] < 0 {
				return false
			}
			q.In = append(q.In, at[from])
		}
		l, _, ok := elementwise.Links[T]([]elementwise.Part{q})
		links = append(links, l...)
		return ok
	}
	for i := range k.parts {
		p := &k.parts[i]
		switch v := p.In[0]; p.Op {
		default:
			if !add(*p, p.In...) {
				return nil
			}
			at[outside+i] = outside + len(links) - 1
			inside = append(inside, outside+i)
		case "ReadVariableOp":
			at[outside+i] = v
			reads[v] = append(reads[v], outside+i)
		case "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp":
			if written[v] {
				return nil
			}
			written[v] = true
			switch op := map[string]string{"AssignAddVariableOp": "AddV2", "AssignSubVariableOp": "Sub"}[p.Op]; {
			case op != "":
				by, _, err := elementwise.PartOf(c, op, p.Node, "T")
				if err != nil || !add(by, v, p.In[1]) {
					return nil
				}
			case at[p.In[1]] != outside+len(links)-1 || len(links) == 0: // what is assigned is no result of this chain's last link
				return nil
			}
			list = append(list, updateChain[T]{v, elementwise.NewChainOver(outside, links, v)})
			links = nil
			for _, o := range append(inside, reads[v]...) {
				at[o] = -1
			}
			inside, reads[v] = nil, nil
		}
	}
	if links != nil || slices.Contains(written, false) {
		return nil
	}
	return list
}

func (k *fusedUpdate[T]) Run(ctx *kernel.Context, in, _ []tensor.Value) error {
	if k.updates == nil {
		return k.apart(ctx, in)
	}
	vars := make([]*resource.Variable, k.variables)
	for i := range vars {
		v, err := k.targets[i].Find(ctx.Step.Resources, &in[i])
		if err != nil || v.Type != k.dt || !v.Initialized() || slices.Contains(vars[:i], v) {
			return k.apart(ctx, in)
		}
		vars[i] = v
	}
	args, running := slices.Clone(in[k.variables:]), false
	err := resource.RewriteAll(ctx.Step.Context, vars, func(now, next []tensor.Value) error {
		operands, ok := k.operands(now, args)
		if !ok {
			return errApart
		}
		running = true
		k.update(ctx, operands, next)
		return nil
	})
	if err != nil && !running && ctx.Err() == nil { // also what fails does so as a part
		return k.apart(ctx, in)
	}
	return err
}

// operands returns what the chains take; ok is false if it does not fit them.
func (k *fusedUpdate[T]) operands(now, args []tensor.Value) (list []elementwise.Operand[T], ok bool) {
	dims := now[0].Dims()
	n := now[0].NumElements()
	if len(dims) == 0 || n == 0 {
		return nil, false
	}
	whole := make([]bool, 0, k.variables+k.inputs+len(k.parts)) // by operand: whether it has the variables' shape
	for i := range now {
		if now[i].DType() != k.dt || !slices.Equal(now[i].Dims(), dims) {
			return nil, false
		}
		list, whole = append(list, tensor.Of[T](&now[i])), append(whole, true)
	}
	for i := range args {
		x, ok := elementwise.OperandOf[T](&args[i], dims)
		if !ok {
			return nil, false
		}
		list, whole = append(list, x), append(whole, slices.Equal(args[i].Dims(), dims))
	}
	for i := range k.parts {
		p := &k.parts[i]
		any, all := false, true
		for _, from := range p.In {
			any, all = any || whole[from], all && whole[from]
		}
		if !any || !all && (stateful[p.Op] || elementwise.OfOneForm(p.Kernel)) {
			return nil, false
		}
		whole = append(whole, any)
	}
	return list, true
}

// updateTile is how many elements all updates pass over before the next: the parts of several
// variables, and what is computed of them, fit into the first cache.
const updateTile = 1024

// update computes all updates, tile by tile. A step that ends meanwhile has updated all
// elements.
func (k *fusedUpdate[T]) update(ctx *kernel.Context, operands []elementwise.Operand[T], next []tensor.Value) {
	passes := make([]*elementwise.Pass[T], len(k.updates))
	for i, u := range k.updates {
		o := tensor.Of[T](&next[u.variable])
		passes[i] = u.chain.Open(o, operands)
		operands[u.variable] = o
	}
	ctx.Step.Pool.Parallel(len(operands[0]), max(elementwise.TileSize, elementwise.Grain/len(k.parts)/elementwise.TileSize*elementwise.TileSize), func(lo, hi int) {
		for ; lo < hi; lo += updateTile {
			for _, p := range passes {
				p.Part(lo, min(lo+updateTile, hi))
			}
		}
	})
	for _, p := range passes {
		p.Close()
	}
}

// apart runs the parts as the nodes that they stand for would run.
func (k *fusedUpdate[T]) apart(ctx *kernel.Context, in []tensor.Value) error {
	c := *ctx
	c.Keep, c.Slots = ^uint64(0), nil // nothing is reused
	outside := k.variables + k.inputs
	lastUse := make([]int, outside+len(k.parts))
	for i := range k.parts {
		for _, from := range k.parts[i].In {
			lastUse[from] = i
		}
	}
	results := make([]tensor.Value, len(k.parts))
	defer func() {
		for _, v := range results {
			ctx.Free(v)
		}
	}()
	for i := range k.parts {
		p := &k.parts[i]
		args := make([]tensor.Value, len(p.In))
		for j, from := range p.In {
			if args[j] = in[min(from, len(in)-1)]; from >= outside {
				args[j] = results[from-outside]
			}
		}
		n := 1
		if stateful[p.Op] && p.Op != "ReadVariableOp" {
			n = 0
		}
		if err := p.Kernel.Run(&c, args, results[i:i+n]); err != nil {
			return p.Blame(err)
		}
		for j := range p.In { // as tokens do, so that a variable that was read can be written in place
			if from := p.In[j]; from >= outside && lastUse[from] == i {
				ctx.Free(results[from-outside])
				results[from-outside] = tensor.Value{}
			}
		}
	}
	return nil
}
