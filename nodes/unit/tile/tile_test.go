package tile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/image"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

var (
	networks = flag.Int("networks", 150, "how many random `networks` are computed in tiles")
	first    = flag.Uint64("first", 0, "the seed of the first `network`")
)

// A network is a random group, and what it is given.
type network struct {
	rng     *rand.Rand
	group   Group
	names   []string
	outside []tensor.Value
	results []tensor.Value // of the members, each computed as a whole
	images  bool
}

func (n *network) outsider(dims ...int64) int {
	size := int64(1)
	for _, d := range dims {
		size *= d
	}
	x := make([]float32, size)
	for i := range x {
		if x[i] = float32(n.rng.NormFloat64()); n.rng.IntN(6) == 0 {
			x[i] = float32(math.Copysign(0, -1))
		}
	}
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	n.outside = append(n.outside, tensor.ValueOf(t))
	return ^(len(n.outside) - 1)
}

// floats returns the elements of a value of float32, nil of others.
func (n *network) floats(from int) []float32 {
	v := n.value(from)
	if v.DType() != tensor.Float {
		return nil
	}
	return tensor.Of[float32](&v)
}

func (n *network) value(from int) tensor.Value {
	if from < 0 {
		return n.outside[^from]
	}
	return n.results[from]
}

// add adds a member, unless its kernel refuses what it is given or makes too much.
func (n *network) add(op, attrs string, in ...int) bool {
	parsed, err := registry.ParseAttrs(attrs)
	if err != nil {
		panic(fmt.Sprintf("%s %s: %v", op, attrs, err))
	}
	var types []tensor.DType
	var args []tensor.Value
	for _, from := range in {
		v := n.value(from)
		types, args = append(types, v.DType()), append(args, v)
	}
	k, _, err := kerneltest.New("n", op, parsed, types...)
	if err != nil {
		panic(fmt.Sprintf("%s %s: %v", op, attrs, err))
	}
	t, ok := k.(kernel.Tiler)
	if !ok {
		panic(fmt.Sprintf("%s: %T is no Tiler", op, k))
	}
	out := make([]tensor.Value, 1)
	ctx := (&kerneltest.Runner{}).Context()
	ctx.Keep = math.MaxUint64
	if err := k.Run(ctx, args, out); err != nil || out[0].NumElements() == 0 || out[0].NumElements() > 1<<17 {
		return false
	}
	n.group.Members = append(n.group.Members, Member{Kernel: t, In: in})
	n.results, n.names = append(n.results, out[0]), append(n.names, op+" "+attrs)
	return true
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

// grow adds a member that takes the last one's result.
func (n *network) grow() {
	rng, last := n.rng, len(n.results)-1
	dims := n.results[last].Dims()
	if !n.images {
		n.growRows(last, dims)
		return
	}
	in := dims[3]
	out := int64(1 + rng.IntN(40))
	size := func() int64 { return int64(pick(rng, 1, 1, 2, 3, 3, 5)) }
	motion := func() (string, int64, int64) {
		s := pick(rng, 1, 1, 1, 2, 3)
		d := 1
		if s == 1 {
			d = pick(rng, 1, 1, 2)
		}
		return fmt.Sprintf("strides=[1, %d, %d, 1], padding=%q, dilations=[1, %d, %d, 1]", s, s, pick(rng, "SAME", "SAME", "VALID"), d, d), size(), size()
	}
	switch rng.IntN(22) {
	case 18: // a group of filters for some of the channels
		groups := int64(1 + rng.IntN(int(in)))
		for in%groups != 0 {
			groups--
		}
		n.add("Conv2D", n.motion(), last, n.outsider(size(), size(), in/groups, groups*int64(1+rng.IntN(4))))
	case 19: // several results of each channel
		m := n.motion()
		if s := strings.Split(m, ","); s[1] == s[2] {
			n.add("DepthwiseConv2dNative", m, last, n.outsider(size(), size(), in, int64(1+rng.IntN(3))))
		}
	case 20:
		n.add("_FusedConv2D", n.motion()+`, TArgs=[DT_FLOAT, DT_FLOAT], num_args=2, fused_ops=["BiasAdd", "Mul", "LeakyRelu"]`, last, n.outsider(size(), size(), in, out), n.outsider(out), n.outsider(out))
	case 21:
		n.single(last, dims)
	case 12, 13:
		m, h, w := motion()
		m = m[:strings.Index(m, ", dilations")] + fmt.Sprintf(", ksize=[1, %d, %d, 1]", h, w)
		n.add(pick(rng, "MaxPool", "AvgPool"), m, last)
	case 14:
		n.resize(last, int64(1+rng.IntN(50)), int64(1+rng.IntN(50)))
	case 15: // a level as of a U-Net: a smaller image is made larger again and joined with the one before
		n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, last, n.outsider(3, 3, in, out))
		first := len(n.results) - 1
		n.add(pick(rng, "MaxPool", "AvgPool"), `strides=[1, 2, 2, 1], ksize=[1, 2, 2, 1], padding="SAME"`, first)
		if rng.IntN(2) == 0 {
			n.grow()
		}
		n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, len(n.results)-1, n.outsider(1, 3, n.results[len(n.results)-1].Dims()[3], int64(1+rng.IntN(9))))
		if n.resize(len(n.results)-1, dims[1], dims[2]) {
			n.join(len(n.results)-1, first)
		}
	case 16:
		n.parts(last, dims)
	case 17:
		n.sums(last, dims)
	case 9: // a residual block
		h, w := pick(rng, 1, 3, 5), pick(rng, 1, 3)
		if n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, last, n.outsider(int64(h), int64(w), in, in)) {
			n.fused([]string{"AddV2", "Relu"}, []int64{0, 1, 2}, len(n.results)-1, last)
		}
	case 11: // two branches, of which the one that comes first sees less
		if a := len(n.results); n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, last, n.outsider(1, 1, in, out)) {
			if n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, last, n.outsider(5, 3, in, out)) {
				n.fused([]string{"AddV2"}, []int64{0, 1}, a, a+1)
			}
		}
	case 10: // channels that are weighted
		x := n.outsider(dims[0], 1, 1, 5)
		if n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, x, n.outsider(1, 1, 5, in)) {
			n.fused([]string{"Mul"}, []int64{0, 1}, last, len(n.results)-1)
		}
	case 0, 1:
		m, h, w := motion()
		n.add("Conv2D", m, last, n.outsider(h, w, in, out))
	case 2:
		n.add("Conv2D", fmt.Sprintf(`strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, %d, %d, %d, %d, 0, 0]`,
			rng.IntN(3), rng.IntN(3), rng.IntN(3), rng.IntN(3)), last, n.outsider(3, 3, in, out))
	case 3:
		m, h, w := motion()
		n.add("_FusedConv2D", m+`, TArgs=[DT_FLOAT]`+pick(rng, `, num_args=1, fused_ops=["BiasAdd", "Relu"]`, `, num_args=1, fused_ops=["BiasAdd"]`, `, num_args=1, fused_ops=["BiasAdd", "Relu6"]`), last, n.outsider(h, w, in, out), n.outsider(out))
	case 4:
		m, h, w := motion()
		n.add("DepthwiseConv2dNative", m, last, n.outsider(h, w, in, 1))
	case 5:
		m, h, w := motion()
		n.add("_FusedDepthwiseConv2dNative", m+`, num_args=1, fused_ops=["BiasAdd", "Relu6"]`, last, n.outsider(h, w, in, 1), n.outsider(in))
	default:
		n.elementwise(last, dims)
	}
}

// motion returns how windows move: with all paddings, strides and dilations.
func (n *network) motion() string {
	rng := n.rng
	s := fmt.Sprintf("strides=[1, %d, %d, 1], dilations=[1, %d, %d, 1]", pick(rng, 1, 1, 2, 3), pick(rng, 1, 1, 2, 5), pick(rng, 1, 1, 2, 3), pick(rng, 1, 1, 2))
	if rng.IntN(2) == 0 {
		return s + fmt.Sprintf(`, padding="EXPLICIT", explicit_paddings=[0, 0, %d, %d, %d, %d, 0, 0]`, rng.IntN(5), rng.IntN(5), rng.IntN(5), rng.IntN(5))
	}
	return s + fmt.Sprintf(", padding=%q", pick(rng, "SAME", "VALID"))
}

// single adds an elementwise operation that no other is fused with.
func (n *network) single(last int, dims []int64) {
	rng := n.rng
	if rng.IntN(2) == 0 {
		n.add(pick(rng, "Relu", "Relu6", "Neg", "Abs", "Square", "Floor", "Ceil", "Round", "Sign", "Sqrt", "Rsqrt", "Reciprocal"), "", last)
		return
	}
	other := slices.Clone(dims)
	for i := range other {
		if rng.IntN(3) == 0 {
			other[i] = 1
		}
	}
	in := []int{last, n.outsider(other[rng.IntN(len(other)):]...)}
	if rng.IntN(3) == 0 {
		in[0], in[1] = in[1], in[0]
	}
	n.add(pick(rng, "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "SquaredDifference"), "", in...)
}

// integers adds a constant.
func (n *network) integers(x []int32, dims ...int64) int {
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	n.outside = append(n.outside, tensor.ValueOf(t))
	return ^(len(n.outside) - 1)
}

func (n *network) resize(from int, high, wide int64) bool {
	return n.add("ResizeBilinear", pick(n.rng, "half_pixel_centers=true", "align_corners=true", "align_corners=false"), from, n.integers([]int32{int32(high), int32(wide)}, 2))
}

// join adds a concatenation, whose axis comes first or last.
func (n *network) join(parts ...int) bool {
	rank := len(n.value(parts[0]).Dims())
	axis := n.integers([]int32{int32(pick(n.rng, rank-1, -1, rank-1, rank-2))})
	if n.rng.IntN(4) == 0 {
		return n.add("Concat", fmt.Sprintf("N=%d", len(parts)), append([]int{axis}, parts...)...)
	}
	return n.add("ConcatV2", fmt.Sprintf("N=%d", len(parts)), append(parts, axis)...)
}

// parts adds what moves elements: a concatenation with what is there or comes from outside, a
// box, something around an image.
func (n *network) parts(last int, dims []int64) {
	rng, rank := n.rng, len(dims)
	kinds := 3
	if n.images {
		kinds = 4
	}
	switch rng.IntN(kinds) {
	case 3: // blocks of channels become larger images
		size := int64(2 + rng.IntN(2))
		if n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, last, n.outsider(1, 3, dims[3], size*size*int64(1+rng.IntN(5)))) {
			n.add("DepthToSpace", fmt.Sprintf("block_size=%d", size), len(n.results)-1)
		}
	case 0:
		parts := []int{last}
		for range 1 + rng.IntN(3) {
			from := rng.IntN(len(n.results))
			if d := n.results[from].Dims(); rng.IntN(2) == 0 || len(d) != rank || !slices.Equal(d[:rank-1], dims[:rank-1]) {
				other := slices.Clone(dims)
				other[rank-1] = int64(1 + rng.IntN(9))
				from = n.outsider(other...)
			}
			parts = append(parts, from)
		}
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		n.join(parts...)
	case 1:
		begin, size := make([]int32, rank), make([]int32, rank)
		for i, d := range dims {
			begin[i], size[i] = 0, -1
			if i > 0 && rng.IntN(2) == 0 {
				begin[i] = rng.Int32N(int32(d))
				size[i] = 1 + rng.Int32N(int32(d)-begin[i])
			}
		}
		n.add("Slice", "", last, n.integers(begin, int64(rank)), n.integers(size, int64(rank)))
	default:
		around := make([]int32, 2*rank)
		for i := 2; i < len(around); i++ {
			if rng.IntN(2) == 0 {
				around[i] = rng.Int32N(4)
			}
		}
		if p := n.integers(around, int64(rank), 2); rng.IntN(2) == 0 {
			n.add("Pad", "", last, p)
		} else {
			n.add("PadV2", "", last, p, n.outsider())
		}
	}
}

// sums adds a bias, or what has the same shape.
func (n *network) sums(last int, dims []int64) {
	if n.rng.IntN(2) == 0 {
		n.add("BiasAdd", "", last, n.outsider(dims[len(dims)-1]))
		return
	}
	list := []int{last}
	for range n.rng.IntN(3) {
		list = append(list, pick(n.rng, last, n.outsider(dims...)))
	}
	n.add("AddN", fmt.Sprintf("N=%d", len(list)), list...)
}

// elementwise adds operations with operands of all forms, and residual additions.
func (n *network) elementwise(last int, dims []int64) {
	rng := n.rng
	for i := len(n.results) - 2; i >= 0; i-- {
		if tensor.SameShape(n.results[i], n.results[last]) && rng.IntN(2) == 0 {
			n.fused([]string{"AddV2"}, []int64{0, 1}, last, i)
			return
		}
	}
	other := append([]int64{}, dims...)
	for i := range other {
		if i < len(other)-1 && rng.IntN(2) == 0 {
			other[i] = 1
		}
	}
	if rng.IntN(2) == 0 {
		other = other[rng.IntN(len(other)):]
	}
	y := n.outsider(other...)
	switch rng.IntN(4) {
	case 3:
		n.fused([]string{"Mul", "Relu"}, []int64{0, 1, 2}, last, y)
	case 0:
		n.fused([]string{"Mul", "Sigmoid", "Mul"}, []int64{0, 1, 2, 0, 3}, last, y)
	case 1:
		n.fused([]string{"Sub", "Relu"}, []int64{1, 0, 2}, last, y)
	default:
		n.fused([]string{"AddV2", "Tanh"}, []int64{0, 1, 2}, last, y)
	}
}

func (n *network) fused(ops []string, operands []int64, in ...int) {
	quote := func(list []string) (s string) {
		for i, x := range list {
			if i > 0 {
				s += ", "
			}
			s += fmt.Sprintf("%q", x)
		}
		return "[" + s + "]"
	}
	list := ""
	for i, x := range operands {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprint(x)
	}
	n.add("_FusedElementwise", fmt.Sprintf("ops=%s, nodes=%s, operands=[%s]", quote(ops), quote(ops), list), in...)
}

// attention is heads of attention as Keras writes them: the scores of queries and keys, their
// softmax, and the sums of values that these weight.
func attention(n *network) {
	rng := n.rng
	a, b, e, c, d := int64(1+rng.IntN(3)), int64(1+rng.IntN(70)), int64(1+rng.IntN(70)), int64(1+rng.IntN(4)), int64(1+rng.IntN(40))
	q, k, v := n.outsider(a, b, c, d), n.outsider(a, e, c, d), n.outsider(a, e, c, d)
	n.add("Einsum", `equation="aecd,abcd->acbe", N=2`, k, q)
	n.fused([]string{"Mul"}, []int64{0, 1}, 0, n.outsider())
	if rng.IntN(2) == 0 { // a mask
		n.fused([]string{"AddV2"}, []int64{0, 1}, len(n.results)-1, n.outsider(pick(rng, 1, a), 1, pick(rng, 1, b), e))
	}
	n.add("Softmax", `T=DT_FLOAT`, len(n.results)-1)
	n.add("Einsum", `equation="acbe,aecd->abcd", N=2`, len(n.results)-1, v)
}

// growRows adds to a chain of matrices, as in attention.
func (n *network) growRows(last int, dims []int64) {
	rng, rank := n.rng, len(dims)
	other := append([]int64{}, dims...)
	for i := range rank - 2 {
		if rng.IntN(3) == 0 {
			other[i] = 1
		}
	}
	inner, out := dims[rank-1], int64(1+rng.IntN(70))
	switch rng.IntN(9) {
	case 8:
		n.single(last, dims)
	case 6:
		n.parts(last, dims)
	case 7:
		n.sums(last, dims)
	case 0, 1:
		other[rank-2], other[rank-1] = inner, out
		n.add("BatchMatMulV2", `adj_x=false`, last, n.outsider(other...))
	case 2:
		other[rank-2], other[rank-1] = out, inner
		n.add("BatchMatMulV2", `adj_y=true`, last, n.outsider(other...))
	case 3, 4:
		n.add("Softmax", `T=DT_FLOAT`, last)
	default:
		n.elementwise(last, dims)
	}
}

func random(seed uint64) *network {
	n := &network{rng: rand.New(rand.NewPCG(seed, 7))}
	if n.rng.IntN(8) == 0 {
		attention(n)
		return n
	}
	if n.rng.IntN(4) == 0 {
		dims := []int64{int64(1 + n.rng.IntN(3)), int64(1 + n.rng.IntN(4)), int64(1 + n.rng.IntN(70)), int64(1 + n.rng.IntN(40))}[n.rng.IntN(3):]
		x := n.outsider(dims...)
		for len(n.results) == 0 {
			n.add("Softmax", `T=DT_FLOAT`, x)
		}
		for range 1 + n.rng.IntN(6) {
			n.growRows(len(n.results)-1, n.results[len(n.results)-1].Dims())
		}
		n.need()
		return n
	}
	n.images = true
	x := n.outsider(int64(1+n.rng.IntN(3)), int64(1+n.rng.IntN(40)), int64(1+n.rng.IntN(24)), int64(1+n.rng.IntN(20)))
	for len(n.results) == 0 {
		n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, x, n.outsider(1, 1, n.outside[0].Dims()[3], int64(1+n.rng.IntN(24))))
	}
	for range 1 + n.rng.IntN(7) {
		n.grow()
	}
	n.need()
	return n
}

// need has some results used outside of the group.
func (n *network) need() {
	for i := range n.group.Members {
		n.group.Members[i].Needed = n.rng.IntN(5) == 0
	}
}

// plans returns segments of all kinds for the group.
func (n *network) plans(each func(p *Plan)) {
	inputs := make([]kernel.TileInput, len(n.outside))
	for i := range inputs {
		inputs[i] = kernel.TileInput{DType: n.outside[i].DType(), Dims: n.outside[i].Dims()}
		if inputs[i].DType != tensor.Float {
			inputs[i].Constant = n.outside[i]
		}
	}
	p := planner{group: &n.group, outside: inputs, workers: 1 + n.rng.IntN(8), budget: 1 << n.rng.IntN(20)}
	if !p.look() {
		panic(fmt.Sprintf("no plan for %v", n.names))
	}
	members := len(n.group.Members)
	for range 4 {
		first := n.rng.IntN(members)
		last := first + n.rng.IntN(members-first)
		if last == first || !p.closed(first, last) {
			continue
		}
		for inner := range p.tilings {
			if s := p.segment(first, last, inner); s != nil {
				if rows := s.steps[len(s.steps)-1].rows; n.rng.IntN(2) == 0 && !p.cut(s, 1+n.rng.IntN(rows)) {
					continue
				}
				s.settle()
				each(&Plan{Segments: []*Segment{s}})
			}
		}
	}
	given := slices.Clone(inputs)
	for i := range given {
		given[i].Dims = slices.Clone(given[i].Dims)
	}
	for _, plan := range []*Plan{NewPlan(&n.group, given, p.workers), NewEagerPlan(&n.group, given, p.workers)} {
		if plan != nil {
			for i := range given { // as the tensors that had these shapes are used again
				for k := range given[i].Dims {
					given[i].Dims[k] = 1 << 20
				}
			}
			each(plan)
			for _, s := range plan.Segments {
				if longer := s.Longer(time.Hour, p.workers+1); longer != nil {
					each(&Plan{Segments: []*Segment{longer}})
				}
			}
			for i := range given {
				copy(given[i].Dims, inputs[i].Dims)
			}
		}
	}
}

// TestNetworks computes random networks of convolutions, and of what stands between them, in tiles
// of all heights, and compares each with what the kernels make as a whole, to the bit.
func TestNetworks(t *testing.T) {
	tiled := 0
	for seed := *first; seed < *first+uint64(*networks); seed++ {
		n := random(seed)
		n.plans(func(p *Plan) {
			if err := p.Verify(&n.group); err != nil {
				t.Fatalf("network %d, %v: %v", seed, n.names, err)
			}
			for _, s := range p.Segments {
				tiled++
				n.check(t, seed, s)
			}
		})
	}
	if tiled < *networks/2 {
		t.Errorf("%d segments in %d networks", tiled, *networks)
	}
}

// TestLags has what takes every second row of an image go ahead of what takes every row, and then
// lag behind it: a row is kept until both have taken it.
func TestLags(t *testing.T) {
	n := &network{rng: rand.New(rand.NewPCG(1, 1)), images: true}
	n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, n.outsider(1, 32, 4, 2), n.outsider(1, 1, 2, 2))
	n.add("MaxPool", `strides=[1, 2, 1, 1], padding="VALID", ksize=[1, 2, 1, 1]`, 0)
	n.add("Slice", "", 1, n.integers([]int32{0, 2, 0, 0}, 4), n.integers([]int32{1, 8, 4, 2}, 4))
	n.add("ResizeBilinear", "", 2, n.integers([]int32{32, 4}, 2))
	n.add("ConcatV2", "N=2", 3, 0, n.integers([]int32{3}))
	inputs := make([]kernel.TileInput, len(n.outside))
	for i := range inputs {
		inputs[i] = kernel.TileInput{DType: n.outside[i].DType(), Dims: n.outside[i].Dims(), Constant: n.outside[i]}
	}
	for sections := 1; sections <= 3; sections++ {
		for height := 1; height <= 4; height++ {
			p := planner{group: &n.group, outside: inputs, workers: 1, budget: bufferElements}
			if !p.look() {
				t.Fatal("no plan")
			}
			s := p.segment(0, 4, 1)
			p.cut(s, sections)
			s.buffers(height, p.walk.glance)
			s.settle()
			if err := (&Plan{Segments: []*Segment{s}}).Verify(&n.group); err != nil {
				t.Fatalf("%d sections, %d rows at a time: %v", sections, height, err)
			}
			n.check(t, 0, s)
		}
	}
}

func (n *network) check(t *testing.T, seed uint64, s *Segment) {
	r := NewRunner(s)
	for k, i := range s.Results {
		if want := n.results[i]; !slices.Equal(r.Dims(k), want.Dims()) {
			t.Fatalf("network %d: members %d to %d of %v make %v, and not %v", seed, s.First, s.Last, n.names, r.Dims(k), want.Dims())
		}
	}
	for again := range 2 {
		ctx := (&kerneltest.Runner{Pool: pick[kernel.Pool](n.rng, kerneltest.Serial{}, kerneltest.Threads{})}).Context()
		out := n.blank(s)
		if _, err := r.Run(ctx, func(i int) []float32 { return n.floats(s.Inputs[i]) }, func(i int) []float32 { return out[i] }); err != nil {
			t.Fatalf("network %d: %v", seed, err)
		}
		for k, member := range s.Results {
			want := n.results[member]
			for i, x := range tensor.Of[float32](&want) {
				if got := out[k][i]; math.Float32bits(x) != math.Float32bits(got) && (x == x || got == got) {
					t.Fatalf("network %d, run %d: members %d to %d of %v, %d rows at a time in sections %v: element %d of %v of member %d is %v, and not %v",
						seed, again, s.First, s.Last, n.names, s.Height, s.Sections, i, want.Dims(), member, got, x)
				}
			}
		}
	}
}

// blank returns memory for the results of a segment, in which there is none yet.
func (n *network) blank(s *Segment) (out [][]float32) {
	for _, i := range s.Results {
		x := make([]float32, n.results[i].NumElements())
		for k := range x {
			x[k] = float32(math.NaN())
		}
		out = append(out, x)
	}
	return out
}

// TestCancelled ends a step while its tiles are computed.
func TestCancelled(t *testing.T) {
	n := random(3)
	n.plans(func(p *Plan) {
		ctx := (&kerneltest.Runner{}).Context()
		ended, cancel := context.WithCancelCause(context.Background())
		cancel(errors.New("enough"))
		ctx.Step.Context = ended
		s := p.Segments[0]
		out := n.blank(s)
		if _, err := NewRunner(s).Run(ctx, func(i int) []float32 { return n.floats(s.Inputs[i]) }, func(i int) []float32 { return out[i] }); err == nil {
			t.Error("tiles of a step that has ended are computed")
		}
	})
}
