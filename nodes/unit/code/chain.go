package code

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
	"slices"
)

// A chain is calls that follow each other in a loop, or one, of kernels that can be
// prepared ([kernel.Preparer]): elementwise arithmetic, small products, what joins
// and divides tensors. It is one instruction. While its inputs have the types and
// shapes that they had before, what Run of each kernel does is done in buffers of
// the chain's own, of which nobody counts who holds them; only what outlives the
// chain is made a tensor like others. Parts of a buffer are used where they lie.
//
// Where something does not fit, a shape that no kernel takes among it, the calls
// that follow the instruction are played one by one. So all errors are theirs.
type Chain struct {
	End    int32 // the instruction after its calls
	Calls  []int32
	Inputs []int32        // slots of what it has from outside
	Consts []tensor.Value // likewise
	Steps  []ChainStep
	Values int     // inputs, constants, and what the steps make, in this order
	Gives  []int32 // slots of inputs that are given up
	Leaves []Leaving
}

// A chainStep is a call. Values are numbered.
type ChainStep struct {
	Kernel   kernel.Preparer
	In, Out  []int32
	Constant uint64 // inputs that are constants
	Sum      int32  // the step whose output it adds to its first input, plus 1: see sums
	Summed   bool   // another step does
}

// A leaving is a value that is there after the chain.
type Leaving struct {
	Value, Slot, Home int32
	Sum               int32 // of a sum in place: the slot of what it was before; else -1
}

// chainAt returns how many of the instructions that code begins with make a chain
// here, where some of them may make scalars.
func (e *emitter) chainAt(code []form.Instr) int {
	chain := code[0].Chain
	for n := range code {
		in := &code[n]
		if chain == 0 || in.Chain != chain {
			return n
		}
		for _, v := range in.Out {
			if v >= 0 && e.isScalar(v) {
				return n
			}
		}
	}
	return len(code)
}

// chain writes a chain: an instruction that plays all of it, and the calls that
// are played one after another otherwise.
func (e *emitter) chain(code []form.Instr) {
	at := len(e.u.Chains)
	e.u.Chains = append(e.u.Chains, e.describe(code))
	e.add(instr{Op: OpChain, X: int32(at)})
	first := int32(len(e.u.Calls))
	e.here()
	for rest := code; len(rest) > 0; {
		rest = rest[e.next(rest):]
	}
	c := &e.u.Chains[at]
	for k := range code {
		c.Calls = append(c.Calls, first+int32(k))
	}
	c.End = e.here()
}

// describe returns the chain of instructions, without where it ends. It follows what
// they do one after another: what one of them makes and another gives up is there
// in between alone.
func (e *emitter) describe(code []form.Instr) Chain {
	var c Chain
	const outside, constant, inside = 0, 1, 2
	type value struct {
		sort, number int
		gone         bool
	}
	values := map[int32]*value{}
	var fixed, made []int32
	for i := range code {
		for _, u := range code[i].In {
			if values[u.Value] != nil {
				continue
			}
			x := &value{}
			if k := e.form.Values[u.Value].Const; k >= 0 {
				x.sort, x.number = constant, len(fixed)
				fixed = append(fixed, u.Value)
				c.Consts = append(c.Consts, e.form.Flow.Consts[k])
			} else {
				x.number = len(c.Inputs)
				c.Inputs = append(c.Inputs, e.at(u.Value))
			}
			values[u.Value] = x
		}
		for _, v := range code[i].Out {
			if v >= 0 {
				values[v] = &value{sort: inside, number: len(made)}
			}
			made = append(made, v)
		}
	}
	number := func(v int32) int32 {
		x := values[v]
		return int32(x.number + []int{0, len(c.Inputs), len(c.Inputs) + len(c.Consts)}[x.sort])
	}
	gone := func(v int32) {
		x := values[v]
		if x == nil { // not of this chain
			x = &value{}
			values[v] = x
		}
		if x.gone = true; x.sort == outside && !e.isScalar(v) {
			c.Gives = append(c.Gives, e.home(v))
		}
	}
	next := int32(len(c.Inputs) + len(c.Consts))
	for i := range code {
		in := &code[i]
		s := ChainStep{Kernel: e.form.Flow.Nodes[in.Node].Kernel.(kernel.Preparer)}
		for k, u := range in.In {
			s.In = append(s.In, number(u.Value))
			if values[u.Value].sort == constant && k < 64 {
				s.Constant |= 1 << k
			}
			if u.Mode == form.Move {
				gone(u.Value)
			}
		}
		for range in.Out {
			s.Out = append(s.Out, next)
			next++
		}
		for _, v := range in.Drop {
			gone(v)
		}
		c.Steps = append(c.Steps, s)
	}
	for _, v := range made {
		if v >= 0 && !values[v].gone {
			c.Leaves = append(c.Leaves, Leaving{number(v), e.home(v), e.u.Homes, -1})
			e.u.Homes++
		}
	}
	c.Values = int(next)
	e.sums(&c, code)
	return c
}

// sums finds, in a chain, additions to what an iteration before has left, of what a
// kernel makes that can add it to a sum ([kernel.Summed]) and that nobody else reads.
// The two are played as one step, in the memory of the sum where nobody else holds it.
// So the gradient of a matrix is added up without making what is added.
func (e *emitter) sums(c *Chain, code []form.Instr) {
	made := map[int32]int{} // by value: the step that makes it
	uses := map[int32]int{}
	for i := range c.Steps {
		for _, v := range c.Steps[i].Out {
			made[v] = i
		}
		for _, v := range c.Steps[i].In {
			uses[v]++
		}
	}
	for i := range c.Steps {
		s := &c.Steps[i]
		if !e.form.Flow.Nodes[code[i].Node].Def.Def().Is(registry.Addition) || len(s.In) != 2 || code[i].In[0].Mode != form.Move {
			continue
		}
		sum, part := s.In[0], s.In[1]
		t, ok := made[part]
		leaves := slices.IndexFunc(c.Leaves, func(l Leaving) bool { return l.Value == s.Out[0] })
		if !ok || uses[part] != 1 || slices.Contains(c.Steps[t].In, sum) || int(sum) >= len(c.Inputs) || leaves < 0 || len(c.Steps[t].Out) != 1 ||
			slices.ContainsFunc(c.Leaves, func(l Leaving) bool { return l.Value == part }) {
			continue
		}
		if _, ok := c.Steps[t].Kernel.(kernel.Summed); !ok {
			continue
		}
		gives := slices.Index(c.Gives, c.Inputs[sum])
		if gives < 0 {
			continue
		}
		c.Gives = slices.Delete(c.Gives, gives, gives+1)
		c.Leaves[leaves].Sum = c.Inputs[sum]
		s.Sum, c.Steps[t].Summed = int32(t)+1, true
	}
}
