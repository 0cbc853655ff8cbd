package programs

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A Meeting is a graph with one loop, for callers that share its iterations: products of rows and
// weights, and whatever else bodies of such loops have. Its callers feed Feeds, of the types and
// shapes of Inputs; the first is how many iterations there are, unless the loop ends before.
type Meeting struct {
	Graph   *graph.Graph
	Feeds   []graph.Output
	Inputs  []Type
	Fetches []graph.Output
	Body    []string // what it does, for people to read
}

// maxWord is the number of rows of tables: larger indices fail.
const maxWord = 6

// DrawMeeting draws a loop.
func DrawMeeting(src Source) (*Meeting, error) {
	d := &meeting{src: src, m: &Meeting{Graph: graph.New()}}
	d.sizes = []int{1 + d.int(3), 1 + d.int(4), 1 + d.int(5)}
	d.declare()
	types := make([]tensor.DType, len(d.vars))
	for i, v := range d.vars {
		types[i] = v.DType
	}
	if err := d.function("less", d.vars, d.condition); err != nil {
		return nil, err
	}
	if err := d.function("next", d.vars, d.iteration); err != nil {
		return nil, err
	}
	b := graph.NewBuilder(d.m.Graph)
	var init graph.OutputList
	for i, v := range d.vars {
		init = append(init, d.initial(b, i, v, init))
	}
	loop := b.Add(graph.OpSpec{Type: "StatelessWhile", Name: "loop", Input: []graph.Input{init}, Attrs: graph.Attrs{
		"cond": &registry.Func{Name: "less"}, "body": &registry.Func{Name: "next"}, "parallel_iterations": int64(1),
	}})
	if err := b.Err(); err != nil {
		return nil, err
	}
	for i, v := range d.vars[:d.changing] {
		out := loop.Output(i)
		if v.DType == tensor.Variant {
			out = b.Op("TensorListStack", graph.Attrs{"element_dtype": tensor.Float}, out, b.Const(ints32(v.Dims)))
		}
		d.m.Fetches = append(d.m.Fetches, b.Op("Identity", nil, out))
	}
	return d.m, b.Err()
}

// A meeting is what is being drawn.
type meeting struct {
	src      Source
	m        *Meeting
	sizes    []int
	vars     []Type // Variants have the shape of an element
	changing int    // those behind are weights
	branches int    // functions of conditionals
	depth    int

	recursive bool // functions that call themselves, in place of a loop
}

// A made is a value in a function.
type made struct {
	graph.Output
	Type
}

func (d *meeting) int(n int) int { return d.src.Int("meeting", 0, n-1) }

func (d *meeting) one(n int) bool { return d.int(n) == 0 }

func (d *meeting) size() int { return d.sizes[d.int(len(d.sizes))] }

// declare draws the loop's variables: a counter, the number of iterations, rows, words, lists and
// weights.
func (d *meeting) declare() {
	d.vars = []Type{tensorType(tensor.Int32), tensorType(tensor.Int32)}
	for range 1 + d.int(3) {
		d.vars = append(d.vars, tensorType(tensor.Float, d.size(), d.size()))
	}
	if d.one(2) {
		d.vars = append(d.vars, tensorType(tensor.Int32, d.size()))
	}
	if d.one(2) {
		d.vars = append(d.vars, tensorType(tensor.Float))
	}
	for range d.int(3) {
		d.vars = append(d.vars, tensorType(tensor.Variant, d.size(), d.size()))
	}
	d.changing = len(d.vars)
	for _, a := range d.sizes {
		for _, b := range d.sizes {
			d.vars = append(d.vars, tensorType(tensor.Float, a, b))
		}
	}
	d.vars = append(d.vars, tensorType(tensor.Float, maxWord, d.size()))
}

// initial returns what the loop has before the first iteration.
func (d *meeting) initial(b *graph.Builder, i int, v Type, before []graph.Output) graph.Output {
	feed := func() graph.Output {
		dims := make([]int64, len(v.Dims))
		for i, n := range v.Dims {
			dims[i] = int64(n)
		}
		p := b.Op("Placeholder", graph.Attrs{"dtype": v.DType, "shape": registry.ShapeAttr(registry.Shape{Dims: dims})})
		d.m.Feeds, d.m.Inputs = append(d.m.Feeds, p), append(d.m.Inputs, v)
		return p
	}
	switch {
	case i == 0:
		return b.Const(int32(0))
	case v.DType == tensor.Variant:
		return b.Op("TensorListReserve", graph.Attrs{"element_dtype": tensor.Float}, b.Const(ints32(v.Dims)), before[1])
	case i < d.changing:
		return feed()
	}
	n := 1
	for _, k := range v.Dims {
		n *= k
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(d.int(17)-8) / 4
	}
	t, err := tensor.FromSlice(data, int64(v.Dims[0]), int64(v.Dims[1]))
	if err != nil {
		b.Fail(err)
	}
	return b.Const(t)
}

func ints32(dims []int) []int32 {
	list := make([]int32, len(dims))
	for i, n := range dims {
		list[i] = int32(n)
	}
	return list
}

// function adds a function of arguments of these types to the library.
func (d *meeting) function(name string, types []Type, body func(s *scene) []graph.Output) error {
	s := &scene{meeting: d, Builder: graph.NewBuilder(graph.New())}
	spec := graph.FunctionSpec{Name: name}
	for i, t := range types {
		p := s.Op("Placeholder", graph.Attrs{"dtype": t.DType})
		s.args = append(s.args, made{p, t})
		spec.Inputs = append(spec.Inputs, p)
		spec.InputNames = append(spec.InputNames, fmt.Sprint("v", i))
	}
	s.seen = slices.Clone(s.args)
	spec.Outputs = body(s)
	for i, o := range spec.Outputs {
		spec.Outputs[i] = s.Op("Identity", nil, o)
	}
	if err := s.Err(); err != nil {
		return err
	}
	made, err := s.Graph().MakeFunction(spec)
	if err != nil {
		return err
	}
	return d.m.Graph.AddFunction(made, nil)
}

// A scene is a function being drawn.
type scene struct {
	*meeting
	*graph.Builder
	args, seen []made
	branch     bool // of a conditional
}

// condition is that there are iterations left, and perhaps that a row is small.
func (d *meeting) condition(s *scene) []graph.Output {
	less := s.Op("Less", nil, s.args[0].Output, s.args[1].Output)
	if !d.one(3) {
		return []graph.Output{less}
	}
	x := s.pick(func(t Type) bool { return t.DType == tensor.Float && len(t.Dims) == 2 && t.Dims[0] != maxWord })
	top := s.Op("Max", nil, x.Output, s.Const([]int32{0, 1}))
	small := s.Op("Less", nil, top, s.Const(float32(d.int(9))/8))
	return []graph.Output{s.Op("LogicalAnd", nil, less, small)}
}

// iteration draws the body.
func (d *meeting) iteration(s *scene) []graph.Output {
	for range 3 + d.int(12) {
		s.statement()
	}
	out := make([]graph.Output, len(d.vars))
	for i, v := range s.args {
		switch {
		case i == 0:
			out[i] = s.Op("AddV2", nil, v.Output, s.Const(int32(1)))
		case i == 1 || i >= d.changing || d.one(12):
			out[i] = v.Output
		case v.DType == tensor.Variant:
			out[i] = s.list(v).Output
		case v.DType == tensor.Int32:
			out[i] = s.words(v)
		case len(v.Dims) == 2 && (i == 2 || d.one(2)): // one product at least
			out[i] = s.Op("Tanh", nil, s.product(v.Dims[1]).rows(s, v.Dims[0]).Output)
		case len(v.Dims) == 0: // whose functions are computed otherwise than those of several elements
			top := s.Op("Max", nil, s.pick(float2).Output, s.Const([]int32{0, 1}))
			out[i] = s.Op("Mul", nil, s.Op("AddV2", nil, s.fit(v.Type).Output, top), s.Const(float32(.5)))
		default:
			out[i] = s.Op("Tanh", nil, s.fit(v.Type).Output)
		}
	}
	return out
}

// pick returns a value of a type, the latest most often.
func (s *scene) pick(fits func(Type) bool) made {
	var list []made
	for _, v := range s.seen {
		if fits(v.Type) {
			list = append(list, v)
		}
	}
	k := len(list) - 1 - s.int(min(len(list), 1+s.int(len(list)))) // of the latest
	return list[k]
}

func float2(t Type) bool { return t.DType == tensor.Float && len(t.Dims) == 2 && t.Dims[0] != maxWord }

// fit returns a value of a type.
func (s *scene) fit(t Type) made {
	return s.pick(func(u Type) bool { return u.DType == t.DType && slices.Equal(u.Dims, t.Dims) })
}

// product returns the product of a value and weights, of so many columns.
func (s *scene) product(columns int) made {
	x := s.pick(float2)
	if !s.one(4) { // which is a row
		var rows []made
		for _, v := range s.args[:s.changing] {
			if float2(v.Type) {
				rows = append(rows, v)
			}
		}
		x = rows[s.int(len(rows))]
	}
	w := s.args[s.changing : len(s.vars)-1]
	var fit []made
	for _, v := range w {
		if v.Dims[0] == x.Dims[1] && v.Dims[1] == columns {
			fit = append(fit, v)
		}
	}
	y := fit[s.int(len(fit))]
	if s.one(4) { // transposed, if there are such weights
		for _, v := range w {
			if v.Dims[1] == x.Dims[1] && v.Dims[0] == columns {
				return s.is("MatMul", graph.Attrs{"transpose_b": true}, tensorType(tensor.Float, x.Dims[0], columns), x.Output, v.Output)
			}
		}
	}
	return s.is("MatMul", nil, tensorType(tensor.Float, x.Dims[0], columns), x.Output, y.Output)
}

// rows returns a value of so many rows: the sum over those that there are, for each.
func (m made) rows(s *scene, n int) made {
	if m.Dims[0] == n {
		return m
	}
	sum := s.Op("Sum", graph.Attrs{"keep_dims": true}, m.Output, s.Const([]int32{0}))
	return s.is("AddV2", nil, tensorType(tensor.Float, n, m.Dims[1]), sum, s.fit(tensorType(tensor.Float, n, m.Dims[1])).Output)
}

// is adds an operation with one output of a type, and notes it.
func (s *scene) is(op string, attrs graph.Attrs, t Type, in ...graph.Input) made {
	v := made{s.Op(op, attrs, in...), t}
	s.seen = append(s.seen, v)
	s.m.Body = append(s.m.Body, fmt.Sprint(op, t.Dims))
	return v
}

var (
	meetingUnaries  = []string{"Tanh", "Sigmoid", "Neg", "Abs", "Relu", "Square", "Softmax", "Identity", "Floor", "Sign"}
	meetingBinaries = []string{"AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"}
	meetingReduce   = []string{"Sum", "Max", "Min", "Mean", "Prod"}
)

// statement adds an operation.
func (s *scene) statement() {
	x := s.pick(float2)
	r, c := x.Dims[0], x.Dims[1]
	switch s.int(20) {
	case 0, 1, 2:
		s.product(s.size())
	case 3, 4:
		op := meetingUnaries[s.int(len(meetingUnaries))]
		s.is(op, nil, x.Type, x.Output)
	case 5, 6:
		y := s.fit(x.Type)
		s.is(meetingBinaries[s.int(len(meetingBinaries))], nil, x.Type, x.Output, y.Output)
	case 7: // a scalar and a row
		y := s.pick(func(t Type) bool { return t.DType == tensor.Int32 && len(t.Dims) == 0 })
		s.is("Mul", nil, x.Type, s.Op("Cast", graph.Attrs{"DstT": tensor.Float}, y.Output), x.Output)
	case 8:
		axis := s.int(2)
		sum := s.Op(meetingReduce[s.int(len(meetingReduce))], graph.Attrs{"keep_dims": true}, x.Output, s.Const([]int32{int32(axis - 2*s.int(2))}))
		s.is("AddV2", nil, x.Type, x.Output, sum)
	case 9: // columns of two, and back
		y := s.pick(func(t Type) bool { return float2(t) && t.Dims[0] == r })
		both := s.Op("ConcatV2", nil, graph.OutputList{x.Output, y.Output}, s.Const(int32(1-2*s.int(2))))
		s.is("Slice", nil, x.Type, both, s.Const([]int32{0, int32(s.int(y.Dims[1] + 1))}), s.Const([]int32{int32(r), int32(c)}))
	case 10:
		y := s.fit(x.Type)
		two := s.Op("Pack", graph.Attrs{"axis": int64(s.int(3))}, graph.OutputList{x.Output, y.Output})
		flat := s.Op("Reshape", nil, two, s.Const([]int32{2, int32(r * c)}))
		parts := s.Add(graph.OpSpec{Type: "Split", Attrs: graph.Attrs{"num_split": int64(2)}, Input: []graph.Input{s.Const(int32(0)), flat}})
		if parts != nil {
			s.is("Reshape", nil, x.Type, parts.Output(s.int(2)), s.Const([]int32{int32(r), int32(c)}))
		}
	case 11:
		s.is("Transpose", nil, tensorType(tensor.Float, c, r), x.Output, s.Const([]int32{1, 0}))
		s.is("MatMul", graph.Attrs{"transpose_b": true}, tensorType(tensor.Float, r, r), x.Output, s.fit(x.Type).Output)
	case 12:
		y := s.fit(x.Type)
		less := s.Op("Less", nil, x.Output, y.Output)
		s.is("SelectV2", nil, x.Type, less, x.Output, s.fit(x.Type).Output)
	case 13:
		best := s.Op("ArgMax", graph.Attrs{"output_type": tensor.Int32}, x.Output, s.Const(int32(1)))
		hot := s.Op("OneHot", graph.Attrs{"axis": int64(-1)}, best, s.Const(int32(c)), s.Const(float32(1)), s.Const(float32(s.int(3))))
		s.is("Mul", nil, x.Type, x.Output, hot)
	case 14: // from the table
		if s.branch {
			return
		}
		table := s.args[len(s.vars)-1]
		words := s.Op("ArgMax", graph.Attrs{"output_type": tensor.Int32}, x.Output, s.Const(int32(1)))
		if s.one(10) { // words that there are not, after some iterations
			words = s.Op("AddV2", nil, words, s.args[0].Output)
		}
		s.is("GatherV2", nil, tensorType(tensor.Float, r, table.Dims[1]), table.Output, words, s.Const(int32(0)))
	case 15:
		if s.branch {
			return
		}
		op := []string{"FloorMod", "FloorDiv"}[s.int(2)]
		by := s.Const(int32(1 + s.int(4)))
		if s.one(6) { // which fails where it is 0
			by = s.Op("Sub", nil, s.args[1].Output, s.Op("AddV2", nil, s.args[0].Output, s.Const(int32(s.int(3)))))
		}
		s.is(op, nil, tensorType(tensor.Int32), s.args[0].Output, by)
	case 16, 17:
		s.conditional()
	case 18: // without a rule
		if s.branch || s.recursive || s.one(2) {
			return
		}
		y := made{s.Op("Cumsum", nil, x.Output, s.Const(int32(1))), x.Type}
		for i, v := range s.args[:s.changing] {
			if v.DType == tensor.Variant && slices.Equal(v.Dims, x.Dims) {
				s.args[i].Output = s.Op("TensorListSetItem", nil, v.Output, s.args[0].Output, y.Output)
			}
		}
	default:
		s.is("StridedSlice", graph.Attrs{"begin_mask": int64(3), "end_mask": int64(3)}, x.Type, x.Output, s.Const([]int32{0, 0}), s.Const([]int32{0, 0}), s.Const([]int32{1, 1}))
	}
}

// conditional adds an If or a Case of branches that take all values in sight.
func (s *scene) conditional() {
	if s.depth == 2 {
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	x := s.pick(float2)
	of := append(slices.Clone(s.seen), x)
	var types []Type
	var in graph.OutputList
	for _, v := range of {
		types, in = append(types, v.Type), append(in, v.Output)
	}
	branch := func() *registry.Func {
		s.meeting.branches++
		name := fmt.Sprint("branch", s.meeting.branches)
		err := s.function(name, types, func(b *scene) []graph.Output {
			b.branch = !s.recursive // where all branches are computed
			for range s.int(4) {
				b.statement()
			}
			if s.one(4) {
				return []graph.Output{b.args[len(b.args)-1].Output}
			}
			return []graph.Output{b.fit(x.Type).Output}
		})
		if err != nil {
			s.Fail(err)
		}
		return &registry.Func{Name: name}
	}
	out := []registry.AttrValue{registry.TypeAttr(tensor.Float)}
	pred := s.Op("FloorMod", nil, s.args[s.int(2)].Output, s.Const(int32(2+s.int(2))))
	var n *graph.Node
	if s.one(3) {
		n = s.Add(graph.OpSpec{Type: "Case", Input: []graph.Input{pred, in}, Attrs: graph.Attrs{
			"Tout":     registry.ListAttr(registry.KindType, out...),
			"branches": registry.ListAttr(registry.KindFunc, registry.FuncAttr(branch()), registry.FuncAttr(branch()), registry.FuncAttr(branch())),
		}})
	} else {
		if s.one(2) {
			pred = s.Op("Less", nil, s.Op("Max", nil, x.Output, s.Const([]int32{0, 1})), s.Const(float32(.5)))
		}
		n = s.Add(graph.OpSpec{Type: "If", Input: []graph.Input{pred, in}, Attrs: graph.Attrs{
			"Tout": registry.ListAttr(registry.KindType, out...), "then_branch": branch(), "else_branch": branch(),
		}})
	}
	if n != nil {
		s.seen = append(s.seen, made{n.Output(0), x.Type})
		s.m.Body = append(s.m.Body, n.Type())
	}
}

// list returns a list with an element set, or as it is.
func (s *scene) list(l made) made {
	switch x := s.fit(tensorType(tensor.Float, l.Dims...)); s.int(6) {
	case 0:
		return l
	case 1: // which depends on what is in it
		old := s.Op("TensorListGetItem", graph.Attrs{"element_dtype": tensor.Float}, l.Output, s.args[0].Output, s.Const(ints32(l.Dims)))
		return made{s.Op("TensorListSetItem", nil, l.Output, s.args[0].Output, s.Op("AddV2", nil, old, x.Output)), l.Type}
	default:
		return made{s.Op("TensorListSetItem", nil, l.Output, s.args[0].Output, x.Output), l.Type}
	}
}

// words returns the next words.
func (s *scene) words(v made) graph.Output {
	more := s.Op("AddV2", nil, v.Output, s.args[0].Output)
	return s.Op("FloorMod", nil, more, s.Const(int32(maxWord)))
}
