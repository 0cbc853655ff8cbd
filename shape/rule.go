package shape

import (
	"strconv"
	"sync"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Rule returns the shape function that a line of text describes:
//
//	shape.Rule("a: [m,k], b: [k,n] -> product: [m,n]")
//	shape.Rule("matrix: [B...,m,m], rhs: [B...,m,k] -> output: [B...,m,k]")
//	shape.Rule("input: [B...,?], k: [] = n -> values: [B...,n], indices: [B...,n]")
//	shape.Rule("var: *S, alpha: [], delta: S ->")
//
// Each argument has the name that the definition gives it, in the definition's
// order; one that is not mentioned may have any shape. A list argument has the
// pattern for each of its tensors. A pattern is
//
//	S            a shape variable, of any rank: a capital letter and then any
//	[m,3,?]      as many dimensions: variables, which begin with a small
//	             letter, numbers, or ? for any
//	[m,4*n]      a product of variables and a number, which checks but teaches
//	             no variable
//	[B...,m]     B stands for any number of dimensions; ... alone for such
//	             that do not matter
//	*S, *[m,n]   the shape behind a resource handle; of another input, its own
//	?            anything
//
// A pattern of an input may be followed by "= n", which makes n the value of
// the input, an integer scalar, or by "= " and a pattern for the shape that the
// value of the input, a vector of dimensions, describes: "size: [2] = [h,w]".
//
// All uses of a variable are merged, inputs in their order, and the outputs
// take what was learned. A contradiction is INVALID_ARGUMENT and says which
// dimensions of which inputs disagree.
//
// The text is parsed when the function is first called; a mistake in it is a
// programming error and panics there.
func Rule(text string) Func { return (&lazyRule{text: text}).infer }

// A lazyRule is the text of a Rule until it is needed.
type lazyRule struct {
	text   string
	once   sync.Once
	parsed *rule
}

func (l *lazyRule) infer(c *Context) error {
	l.once.Do(l.parse)
	if l.parsed == nil { // an earlier call panicked
		l.parse()
	}
	return l.parsed.infer(c)
}

func (l *lazyRule) parse() {
	r, err := parseRule(l.text)
	if err != nil {
		panic("shape: rule " + strconv.Quote(l.text) + ": " + err.Error())
	}
	l.parsed = r
}

// A rule is the parsed text of a Rule.
type rule struct {
	in, out []ruleArg
	dims    []string // names of the dimension variables
	shapes  []string // names of the shape variables
}

// A ruleArg is an argument and what is said of it.
type ruleArg struct {
	name string
	pattern
	handle bool // the pattern is for the shape behind the handle

	dimValue   int      // the variable that the input's value is, else -1
	shapeValue *pattern // of the shape that the input's value describes, or nil
}

// A pattern describes a shape.
type pattern struct {
	any   bool       // any shape
	whole int        // a shape variable, else -1
	items []ruleItem // otherwise
}

// A ruleItem is one item of a pattern in brackets: a segment of dimensions, or
// a dimension that is the product of a number and of variables, or any.
type ruleItem struct {
	segment bool
	shape   int // a segment's variable, -1 for one that does not matter
	any     bool
	number  int64
	vars    []int
}

// A binding is what is known of the variables, and where it comes from.
type binding struct {
	c         *Context
	r         *rule
	dims      []int64
	dimFrom   []place
	shapes    []Shape
	shapeFrom []place
}

// A place is where a variable is: a dimension of an input.
type place struct {
	arg string
	dim int // -1: the input as a whole; -2: its value
}

const (
	wholeInput = -1
	inputValue = -2
)

func (p place) String() string {
	switch p.dim {
	case wholeInput:
		return "input '" + p.arg + "'"
	case inputValue:
		return "the value of input '" + p.arg + "'"
	}
	return "dimension " + strconv.Itoa(p.dim) + " of input '" + p.arg + "'"
}

func (r *rule) infer(c *Context) error {
	b := binding{
		c: c, r: r,
		dims: make([]int64, len(r.dims)), dimFrom: make([]place, len(r.dims)),
		shapes: make([]Shape, len(r.shapes)), shapeFrom: make([]place, len(r.shapes)),
	}
	for i := range b.dims {
		b.dims[i] = Unknown
	}
	err := r.each(c, r.in, false, func(arg *ruleArg, i int) error { return b.input(arg, i) })
	if err != nil {
		return err
	}
	return r.each(c, r.out, true, func(arg *ruleArg, i int) error {
		s, err := b.output(arg)
		c.SetOutput(i, s)
		return err
	})
}

// each calls f for every tensor of every argument that the rule mentions.
func (r *rule) each(c *Context, args []ruleArg, outputs bool, f func(arg *ruleArg, i int) error) error {
	total := len(c.Inputs)
	if outputs {
		total = len(c.Outputs)
	}
	if c.Op == nil {
		for i := range min(len(args), total) {
			if err := f(&args[i], i); err != nil {
				return err
			}
		}
		return nil
	}
	defs := c.Op.Inputs
	if outputs {
		defs = c.Op.Outputs
	}
	i := 0
	for k := range defs {
		n := argSize(&defs[k], c.Attrs, total-i)
		if len(args) > 0 && args[0].name == defs[k].Name {
			for j := range n {
				if err := f(&args[0], i+j); err != nil {
					return err
				}
			}
			args = args[1:]
		}
		i += n
	}
	if len(args) > 0 {
		return status.Errorf(status.Internal, "the shape rule of operation %s mentions an argument '%s' that its definition lacks, or in another order", c.Op.Name, args[0].name)
	}
	return nil
}

// input merges input i, which belongs to arg, with what is said of arg.
func (b *binding) input(arg *ruleArg, i int) error {
	s := b.c.Input(i)
	if arg.handle {
		s = b.c.HandleShape(i)
	}
	if err := b.match(&arg.pattern, s, place{arg.name, wholeInput}); err != nil {
		return err
	}
	value := place{arg.name, inputValue}
	switch {
	case arg.dimValue >= 0:
		d, err := b.c.DimFrom(i)
		if err != nil {
			return detail(err, value.String())
		}
		return b.mergeDim(arg.dimValue, d, value)
	case arg.shapeValue != nil:
		s, err := b.c.ShapeFrom(i)
		if err != nil {
			return detail(err, value.String())
		}
		return b.match(arg.shapeValue, s, value)
	}
	return nil
}

// match merges a shape, that of an input or of its value, with its pattern.
func (b *binding) match(p *pattern, s Shape, of place) error {
	if p.any {
		return nil
	}
	if p.whole >= 0 {
		return b.mergeShape(p.whole, s, of)
	}
	seg := p.segment()
	var err error
	if seg < 0 {
		s, err = s.WithRank(len(p.items))
	} else {
		s, err = s.WithRankAtLeast(len(p.items) - 1)
	}
	if err != nil {
		return detail(err, of.String()+" is to be "+b.r.text(p))
	}
	if !s.known {
		return nil
	}
	after := len(s.dims) - len(p.items) // of a dimension behind the segment, less its item's index
	for k := range p.items {
		item := &p.items[k]
		at := k
		if seg >= 0 && k > seg {
			at = k + after
		}
		here := of
		if of.dim == wholeInput {
			here.dim = at
		}
		switch {
		case item.segment:
			if item.shape >= 0 {
				err = b.mergeShape(item.shape, s.Sub(k, k+after+1), of)
			}
		case item.any:
		case len(item.vars) == 1 && item.number == 1:
			err = b.mergeDim(item.vars[0], s.dims[at], here)
		default:
			var want int64
			if want, err = b.product(item); err == nil && want != Unknown {
				_, err = WithValue(s.dims[at], want)
			}
			if err != nil {
				err = detail(err, here.String())
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// segment returns the index of the item that is a segment, -1 without one.
func (p *pattern) segment() int {
	for k := range p.items {
		if p.items[k].segment {
			return k
		}
	}
	return -1
}

func (b *binding) mergeDim(v int, d int64, at place) error {
	merged, err := MergeDims(b.dims[v], d)
	if err != nil {
		return detail(err, b.r.dims[v]+" is "+b.dimFrom[v].String()+" and "+at.String())
	}
	if b.dims[v] == Unknown {
		b.dimFrom[v] = at
	}
	b.dims[v] = merged
	return nil
}

func (b *binding) mergeShape(v int, s Shape, at place) error {
	merged, err := Merge(b.shapes[v], s)
	if err != nil {
		return detail(err, b.r.shapes[v]+" is of "+b.shapeFrom[v].String()+" and of "+at.String())
	}
	if !b.shapes[v].known {
		b.shapeFrom[v] = at
	}
	b.shapes[v] = merged
	return nil
}

func (b *binding) product(item *ruleItem) (int64, error) {
	d := item.number
	for _, v := range item.vars {
		var err error
		if d, err = MulDims(d, b.dims[v]); err != nil {
			return Unknown, err
		}
	}
	return d, nil
}

// output returns the shape that the pattern of arg makes of the variables.
func (b *binding) output(arg *ruleArg) (Shape, error) {
	switch {
	case arg.any:
		return Shape{}, nil
	case arg.whole >= 0:
		return b.shapes[arg.whole], nil
	}
	dims := make([]int64, 0, len(arg.items))
	for k := range arg.items {
		item := &arg.items[k]
		switch {
		case item.segment && (item.shape < 0 || !b.shapes[item.shape].known):
			return Shape{}, nil
		case item.segment:
			more := b.shapes[item.shape].dims
			if len(dims)+len(more) > tensor.MaxRank {
				return Shape{}, rankError(len(dims) + len(more))
			}
			dims = append(dims, more...)
		case item.any:
			dims = append(dims, Unknown)
		default:
			d, err := b.product(item)
			if err != nil {
				return Shape{}, err
			}
			dims = append(dims, d)
		}
	}
	if len(dims) > tensor.MaxRank {
		return Shape{}, rankError(len(dims))
	}
	return Of(dims...), nil
}

// detail adds to an error where it comes from.
func detail(err error, where string) error {
	return status.Errorf(status.CodeOf(err), "%s (%s)", status.From(err).Message, where)
}
