package unit_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/unit"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// TestScalars runs every operation that units have an instruction for in loops,
// on extreme and random operands, as units and by tokens, where kernels do the
// work: results are the same to the bit, and so are errors.
func TestScalars(t *testing.T) {
	s := newScalars(t)
	seen := map[form.ScalarOp]bool{}
	for _, o := range form.Scalars() {
		seen[o.Code] = true
		s.repeated(o)
		if o.Inputs == 2 && o.Out == tensor.Bool && o.In != tensor.Bool {
			s.jumps(o)
		}
	}
	for _, code := range form.Arithmetic() {
		if !seen[code] {
			t.Errorf("no operation is made an instruction %v", code)
		}
	}
	if s.runs < 10_000 || s.failed < 100 {
		t.Errorf("%d runs, of which %d fail", s.runs, s.failed)
	}
}

type scalars struct {
	t             *testing.T
	units, tokens *actors.Engine
	operands      map[tensor.DType][]tensor.Value
	runs, failed  int
}

func newScalars(t *testing.T) *scalars {
	budget := tensor.NewBudget(1 << 30)
	s := &scalars{
		t: t, units: actors.New(actors.Config{Budget: budget}), tokens: actors.New(actors.Config{Budget: budget, Tokens: true}),
		operands: map[tensor.DType][]tensor.Value{tensor.Bool: {tensor.Scalar(false), tensor.Scalar(true)}},
	}
	t.Cleanup(func() {
		s.units.Close()
		s.tokens.Close()
	})
	rng := rand.New(rand.NewPCG(1, 2))
	add := func(v tensor.Value) { s.operands[v.DType()] = append(s.operands[v.DType()], v) }
	for _, x := range []int64{0, 1, -1, 2, -2, 3, 7, -7, math.MaxInt32, math.MinInt32, math.MinInt32 + 1} {
		add(tensor.Scalar(int32(x)))
		add(tensor.Scalar(x))
	}
	for _, x := range []int64{math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1<<53 + 1, -1<<53 - 1, 1<<24 + 1} {
		add(tensor.Scalar(x))
	}
	add(tensor.Scalar(int32(1<<24 + 1)))
	for _, x := range []uint64{0, 1 << 63, 1, 1<<63 | 1, 0xf_ffff_ffff_ffff, 0x10_0000_0000_0000, // zeros, subnormal, least normal
		0x7fef_ffff_ffff_ffff, 0xffef_ffff_ffff_ffff, 0x7ff0_0000_0000_0000, 0xfff0_0000_0000_0000, // most, infinite
		0x7ff8_0000_0000_0000, 0xfff8_0000_0000_1234, 0x7ff0_0000_0000_0abc, // not a number: quiet, with a payload, signaling
		math.Float64bits(1), math.Float64bits(-1), math.Float64bits(0.1), math.Float64bits(-1.5), math.Float64bits(1e300)} {
		add(tensor.Scalar(math.Float64frombits(x)))
	}
	for _, x := range []uint32{0, 1 << 31, 1, 1<<31 | 1, 0x7f_ffff, 0x80_0000, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000, 0xff80_0000,
		0x7fc0_0000, 0xffc0_1234, 0x7f80_0abc,
		math.Float32bits(1), math.Float32bits(-1), math.Float32bits(0.1), math.Float32bits(-1.5), math.Float32bits(1e38)} {
		add(tensor.Scalar(math.Float32frombits(x)))
	}
	for range 4 {
		add(tensor.Scalar(int32(rng.Uint32())))
		add(tensor.Scalar(int64(rng.Uint64())))
		add(tensor.Scalar(math.Float32frombits(rng.Uint32())))
		add(tensor.Scalar(math.Float64frombits(rng.Uint64())))
	}
	return s
}

// bits returns a scalar's value to the bit.
func bits(v tensor.Value) uint64 {
	switch v.DType() {
	case tensor.Bool:
		if tensor.At0[bool](&v) {
			return 1
		}
		return 0
	case tensor.Int32:
		return uint64(uint32(tensor.At0[int32](&v)))
	case tensor.Int64:
		return uint64(tensor.At0[int64](&v))
	case tensor.Float:
		return uint64(math.Float32bits(tensor.At0[float32](&v)))
	}
	return math.Float64bits(tensor.At0[float64](&v))
}

// compile makes a program of a graph, in which a line is as long as it is needed.
func (s *scalars) compile(text string, feeds, fetches []string) *nodes.Program {
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		s.t.Fatalf("%v\n%s", err, text)
	}
	var spec nodes.Spec
	for _, f := range feeds {
		spec.Feeds = append(spec.Feeds, g.Operation(f).Output(0))
	}
	for _, f := range fetches {
		spec.Fetches = append(spec.Fetches, g.Operation(f).Output(0))
	}
	p, err := nodes.Compile(context.Background(), g, spec)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// has looks that the program's code has an instruction.
func (s *scalars) has(p *nodes.Program, code string) {
	s.t.Helper()
	u, reason, err := unit.NewCompiler(p.Flow(), nil).Compile(0)
	if u == nil {
		s.t.Fatal(reason, err)
	}
	if !regexp.MustCompile(`(?m)^ *\d+\t` + code + " ").MatchString(u.String()) {
		s.t.Errorf("no instruction %s in\n%v", code, u)
	}
}

// same runs a program on both engines and answers what they agree on.
func (s *scalars) same(what string, p *nodes.Program, feeds ...tensor.Value) ([]tensor.Value, error) {
	var first []tensor.Value
	var failure error
	for i, e := range []*actors.Engine{s.tokens, s.units} {
		step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
		fetched := make([]tensor.Value, len(p.Fetches()))
		err := e.Run(step, p, feeds, fetched)
		if i == 0 {
			first, failure = fetched, err
			continue
		}
		if fmt.Sprint(err) != fmt.Sprint(failure) || status.CodeOf(err) != status.CodeOf(failure) {
			s.t.Errorf("%s: unit: %v\ntokens: %v", what, err, failure)
		}
		for k := range fetched {
			if err == nil && failure == nil && bits(fetched[k]) != bits(first[k]) && !ofTwoNaNs(feeds, fetched[k], first[k]) {
				s.t.Errorf("%s: fetch %d: unit %#x, tokens %#x", what, k, bits(fetched[k]), bits(first[k]))
			}
		}
	}
	if s.runs++; failure != nil {
		s.failed++
	}
	return first, failure
}

// ofTwoNaNs reports whether two results are both not a number, made of operands that
// are not: which of the payloads remains is the machine's choice of the operands'
// order, which the compiler makes again for every build.
func ofTwoNaNs(operands []tensor.Value, x, y tensor.Value) bool {
	n := 0
	for _, v := range operands {
		if notANumber(v) {
			n++
		}
	}
	return n > 1 && notANumber(x) && notANumber(y)
}

func notANumber(v tensor.Value) bool {
	switch v.DType() {
	case tensor.Float:
		x := tensor.At0[float32](&v)
		return x != x
	case tensor.Double:
		x := tensor.At0[float64](&v)
		return x != x
	}
	return false
}

// attr returns the name of an element type in a graph's text.
func attr(dt tensor.DType) string {
	return map[tensor.DType]string{
		tensor.Bool: "DT_BOOL", tensor.Int32: "DT_INT32", tensor.Int64: "DT_INT64", tensor.Float: "DT_FLOAT", tensor.Double: "DT_DOUBLE",
	}[dt]
}

// counter is a loop of three iterations to which something can be added.
const counter = `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
three = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 3>}
i_in = Enter(zero) {frame_name="L"}
three_ = Enter(three) {frame_name="L", is_constant=true}
one_ = Enter(one) {frame_name="L", is_constant=true}
i = Merge(i_in, i_back)
less = Less(i, three_)
on = LoopCond(less)
i_s = Switch(i, on)
i1 = AddV2(i_s:1, one_)
i_back = NextIteration(i1)
`

// repeated applies an operation in a loop: to its own result where that has the
// type for it, r ← op(r, b), else to the same operands, r ← op(a, b).
func (s *scalars) repeated(o form.ScalarForm) {
	var w strings.Builder
	w.WriteString(counter)
	types := []tensor.DType{o.In, o.In}[:min(o.Inputs, 2)]
	if o.Inputs == 3 {
		types = append([]tensor.DType{tensor.Bool}, types...)
	}
	var feeds []string
	for k, dt := range types {
		f := string(rune('a' + k))
		feeds = append(feeds, f)
		fmt.Fprintf(&w, "%s = Placeholder() {dtype=%s}\n", f, attr(dt))
		fmt.Fprintf(&w, "%s_ = Enter(%s) {frame_name=\"L\", is_constant=true}\n%s_s = Switch(%s_, on)\n", f, f, f, f)
	}
	begin := feeds[len(feeds)-1]
	if types[len(types)-1] != o.Out {
		begin = "r0"
		feeds = append(feeds, begin)
		fmt.Fprintf(&w, "r0 = Placeholder() {dtype=%s}\n", attr(o.Out))
	}
	fmt.Fprintf(&w, "r_in = Enter(%s) {frame_name=\"L\"}\nr = Merge(r_in, r_back)\nr_s = Switch(r, on)\n", begin)
	args := []string{"a_s:1", "b_s:1", "c_s:1"}[:o.Inputs]
	if begin != "r0" {
		args[len(args)-1] = "r_s:1"
		if o.Inputs == 2 {
			args[0], args[1] = args[1], "a_s:1"
		}
	}
	attrs := ""
	if o.Op == "Cast" {
		attrs = " {DstT=" + attr(o.Out) + "}"
	}
	fmt.Fprintf(&w, "y = %s(%s)%s\nr_back = NextIteration(y)\nr_out = Exit(r_s)\n", o.Op, strings.Join(args, ", "), attrs)
	p := s.compile(w.String(), feeds, []string{"r_out"})
	name := o.Code.String()
	if o.Code == form.ScalarMove {
		name = "scalar" // moves have no computation of their own
	}
	s.has(p, name)

	values := make([]tensor.Value, len(feeds))
	var try func(k int)
	try = func(k int) {
		if k < len(types) {
			for _, v := range s.operands[types[k]] {
				values[k] = v
				try(k + 1)
			}
			return
		}
		if begin == "r0" {
			values[k] = s.operands[o.Out][0]
		}
		s.same(fmt.Sprintf("%s of %v, %v", o.Op, o.In, texts(values)), p, values...)
	}
	try(0)
}

func texts(values []tensor.Value) string {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = fmt.Sprintf("%#x", bits(v))
	}
	return strings.Join(list, " ")
}

// jumps runs a comparison as a loop's test and in front of a branch: the
// instructions are jumps.
func (s *scalars) jumps(o form.ScalarForm) {
	direct := s.compile(fmt.Sprintf("a = Placeholder() {dtype=%s}\nb = Placeholder() {dtype=%[1]s}\ny = %s(a, b)\n", attr(o.In), o.Op), []string{"a", "b"}, []string{"y"})
	var w strings.Builder
	for _, f := range []string{"a", "b", "stop"} {
		fmt.Fprintf(&w, "%s = Placeholder() {dtype=%s}\n", f, attr(o.In))
	}
	fmt.Fprintf(&w, `
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
b_ = Enter(b) {frame_name="L", is_constant=true}
stop_ = Enter(stop) {frame_name="L", is_constant=true}
one_ = Enter(one) {frame_name="L", is_constant=true}
n_in = Enter(zero) {frame_name="L"}
m_in = Enter(zero) {frame_name="L"}
v_in = Enter(a) {frame_name="L"}
w_in = Enter(a) {frame_name="L"}
n = Merge(n_in, n_back)
m = Merge(m_in, m_back)
v = Merge(v_in, v_back)
w = Merge(w_in, w_back)
test = %[1]s(v, b_)
on = LoopCond(test)
n_s = Switch(n, on)
m_s = Switch(m, on)
v_s = Switch(v, on)
w_s = Switch(w, on)
stop_s = Switch(stop_, on)
n1 = AddV2(n_s:1, one_)
n_back = NextIteration(n1)
v_back = NextIteration(w_s:1)
w_back = NextIteration(stop_s:1)
branch = %[1]s(w_s:1, v_s:1)
m_b = Switch(m_s:1, branch)
yes = Sub(m_b:1, one_)
no = AddV2(m_b, n1)
m1 = Merge(yes, no)
m_back = NextIteration(m1)
n_out = Exit(n_s)
m_out = Exit(m_s)
`, o.Op)
	text := w.String()
	turned := strings.NewReplacer("Sub(m_b:1", "Sub(m_b", "AddV2(m_b", "AddV2(m_b:1").Replace(text)
	p := s.compile(text, []string{"a", "b", "stop"}, []string{"n_out", "m_out"})
	q := s.compile(turned, []string{"a", "b", "stop"}, []string{"n_out", "m_out"})
	for _, code := range []string{"jump unless ", "latch if "} {
		s.has(p, code+o.Code.String())
	}
	s.has(q, "jump if "+o.Code.String())
	holds := func(a, b tensor.Value) bool {
		y, err := s.same(o.Op, direct, a, b)
		return err == nil && bits(y[0]) == 1
	}
	list := s.operands[o.In]
	for _, b := range list {
		end := slices.IndexFunc(list, func(x tensor.Value) bool { return !holds(x, b) })
		if end < 0 {
			continue // the loop would not end
		}
		for _, a := range list {
			got, err := s.same(fmt.Sprintf("jumps of %s of %v, %v", o.Op, o.In, texts([]tensor.Value{a, b, list[end]})), p, a, b, list[end])
			s.same("the other branch", q, a, b, list[end])
			want := int32(0)
			if holds(a, b) {
				want = 2
			}
			if err != nil || tensor.At0[int32](&got[0]) != want {
				s.t.Fatalf("%s of %#x and %#x: %v, %v iterations, want %d", o.Op, bits(a), bits(b), err, got[0].Tensor(), want)
			}
		}
	}
}

// TestScalarErrors divides by a number that counts down to 0: the error is that
// of the third iteration.
func TestScalarErrors(t *testing.T) {
	s := newScalars(t)
	for _, op := range []string{"Div", "TruncateDiv", "TruncateMod", "Mod", "FloorDiv", "FloorMod"} {
		for _, dt := range []string{"DT_INT32", "DT_INT64"} {
			p := s.compile(counter+fmt.Sprintf(`
x = Placeholder() {dtype=%[2]s}
d0 = Placeholder() {dtype=%[2]s}
u = Placeholder() {dtype=%[2]s}
x_ = Enter(x) {frame_name="L", is_constant=true}
u_ = Enter(u) {frame_name="L", is_constant=true}
x_s = Switch(x_, on)
d_in = Enter(d0) {frame_name="L"}
d = Merge(d_in, d_back)
d_s = Switch(d, on)
d1 = Sub(d_s:1, u_, ^y)
d_back = NextIteration(d1)
r_in = Enter(x) {frame_name="L"}
r = Merge(r_in, r_back)
r_s = Switch(r, on)
y = %[1]s(x_s:1, d_s:1)
r_back = NextIteration(y)
r_out = Exit(r_s)
`, op, dt), []string{"x", "d0", "u"}, []string{"r_out"})
			of := func(x int32) tensor.Value {
				if dt == "DT_INT64" {
					return tensor.Scalar(int64(x))
				}
				return tensor.Scalar(x)
			}
			for first := range int32(4) {
				_, err := s.same(op, p, of(7), of(first), of(1))
				if first == 3 {
					if err != nil {
						t.Errorf("%s: %v", op, err)
					}
					continue
				}
				if e := status.From(err); e.Code != status.InvalidArgument || e.Node != "y" || e.Tag != fmt.Sprintf("L[%d]", first) {
					t.Errorf("%s: %v: node %q, iteration %q", op, err, e.Node, e.Tag)
				}
			}
		}
	}
}

// TestPicks takes elements of a vector by the three nodes that front ends write,
// with indices from both ends and beyond, and with bounds that make no sense.
func TestPicks(t *testing.T) {
	s := newScalars(t)
	vector := func(x ...int32) tensor.Value {
		v, err := tensor.FromSlice(x, int64(len(x)))
		if err != nil {
			t.Fatal(err)
		}
		return tensor.ValueOf(v)
	}
	for _, end := range []string{"", "end", "two", "scalar"} {
		text := counter + `
x = Placeholder() {dtype=DT_INT32}
begin = Placeholder() {dtype=DT_INT32}
end = Placeholder() {dtype=DT_INT32}
x_ = Enter(x) {frame_name="L", is_constant=true}
end_ = Enter(end) {frame_name="L", is_constant=true}
end_s = Switch(end_, on)
ones = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 1>}
ones_ = Enter(ones) {frame_name="L", is_constant=true}
k_in = Enter(begin) {frame_name="L"}
k = Merge(k_in, k_back)
k_s = Switch(k, on)
next = AddV2(k_s:1, one_)
k1 = Identity(next, ^y)
k_back = NextIteration(k1)
r_in = Enter(zero) {frame_name="L"}
r = Merge(r_in, r_back)
r_s = Switch(r, on)
from = Pack(k_s:1)
to = Pack(next)
also = Pack(end_s:1)
y = StridedSlice(x_, from, TO, ones_) {shrink_axis_mask=1}
r1 = AddV2(r_s:1, y)
r_back = NextIteration(r1)
r_out = Exit(r_s)
`
		to, bound := "to", tensor.Scalar(int32(0))
		switch end {
		case "end":
			to, bound = "end_s:1", vector(7)
		case "two":
			to, bound = "end_s:1", vector(7, 8)
		case "scalar":
			to, bound = "also", vector(7)
		}
		p := s.compile(strings.ReplaceAll(text, "TO", to), []string{"x", "begin", "end"}, []string{"r_out"})
		if end == "" {
			s.has(p, "pick")
		}
		for k := int32(-6); k <= 4; k++ {
			out, err := s.same(fmt.Sprintf("x[%d:], end %q", k, end), p, vector(1, 20, 300, 4000), tensor.Scalar(k), bound)
			sum, inside := int32(0), end == "" || end == "end"
			for i := k; i < k+3; i++ {
				at := i
				if at < 0 {
					at += 4
				}
				if inside = inside && at >= 0 && at < 4; inside {
					sum += []int32{1, 20, 300, 4000}[at]
				}
			}
			if (err == nil) != inside || inside && tensor.At0[int32](&out[0]) != sum {
				t.Errorf("x[%d:], end %q: %v, %v, want %d", k, end, out, err, sum)
			}
		}
	}
}

// TestBranchOfAnyNumber: the index of a choice of two may be any number, in a register
// as well. Only 0 chooses the first.
func TestBranchOfAnyNumber(t *testing.T) {
	s := newScalars(t)
	p := s.compile(`
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
by = Placeholder() {dtype=DT_INT32}
one_ = Enter(one) {frame_name="L", is_constant=true}
by_ = Enter(by) {frame_name="L", is_constant=true}
i_in = Enter(zero) {frame_name="L"}
sum_in = Enter(zero) {frame_name="L"}
i = Merge(i_in, i_back)
sum = Merge(sum_in, sum_back)
less = Less(i, one_)
on = LoopCond(less)
i_s = Switch(i, on)
sum_s = Switch(sum, on)
i1 = AddV2(i_s:1, one_)
i_back = NextIteration(i1)
index = Mul(i1, by_)
branch = _SwitchN(sum_s:1, index) {num_outs=2, T=DT_INT32}
first = Sub(branch:0, one_)
second = AddV2(branch:1, one_)
sum_back_m = Merge(first, second)
sum_back = NextIteration(sum_back_m)
out = Exit(sum_s)
`, []string{"by"}, []string{"out"})
	for _, by := range []int32{0, 1, 2, 3, 128, 255, 256, 512, 1 << 16, -1, -256, math.MinInt32} {
		y, err := s.same(fmt.Sprint(by), p, tensor.Scalar(by))
		if err != nil {
			t.Fatal(err)
		}
		want := int32(1)
		if by == 0 {
			want = -1
		}
		if got := tensor.At0[int32](&y[0]); got != want {
			t.Errorf("index %d: %d", by, got)
		}
	}
}
