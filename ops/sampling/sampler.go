package sampling

import (
	"math"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(newSampler(func(n int64) distribution { return uniform(n) }), "UniformCandidateSampler")
	kernel.ForAll(newSampler(func(n int64) distribution { return logUniform{n, math.Log1p(float64(n))} }), "LogUniformCandidateSampler")
	kernel.ForAll(newSampler(nil), "ThreadUnsafeUnigramCandidateSampler", "LearnedUnigramCandidateSampler")
	kernel.ForAll(newSampler(func(n int64) distribution { return everything{} }), "AllCandidateSampler")
	kernel.ForAll(newFixed, "FixedUnigramCandidateSampler")
	kernel.ForAll(newHits, "ComputeAccidentalHits")
}

// A distribution is what classes are drawn from.
type distribution interface {
	draw(g *philox.Single) int64
	probability(class int64) float32
}

// A sampler is the kernel of the operations that draw classes.
type sampler struct {
	node        string
	seed, seed2 int64
	correct     int64 // classes of an example that are right
	n           int64 // how many to draw
	unique      bool
	limit       int64
	from        distribution // nil for counts, which a session has for each node
}

//go:noinline
func newSampler(of func(limit int64) distribution) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		k := &sampler{
			node: c.Node, seed: c.Int("seed"), seed2: c.Int("seed2"), correct: c.Int("num_true"),
			n: c.Int("num_sampled"), unique: c.Bool("unique"), limit: c.Int("range_max"),
		}
		if c.Op.Name == "AllCandidateSampler" {
			k.limit = k.n
		}
		if of != nil {
			k.from = of(k.limit)
		} else if k.limit >= math.MaxInt32 {
			return nil, c.Errorf("range_max must be below %d, got %d", math.MaxInt32, k.limit)
		}
		return k, nil
	}
}

func (k *sampler) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	correct := &in[0]
	switch {
	case correct.Rank() != 2:
		return status.Invalid("true_classes must be a matrix")
	case int64(correct.Dim(1)) != k.correct:
		return status.Invalid("true_classes must have num_true columns, expected: %d was: %d", correct.Dim(1), k.correct)
	case k.unique && k.n > k.limit:
		return status.Invalid("Sampler's range is too small.")
	}
	classes := tensor.Of[int64](correct)
	for lo, hi := range ctx.Ranges(len(classes), 1<<16) {
		for _, class := range classes[lo:hi] {
			if class < 0 || class >= k.limit {
				return status.Invalid("`true_candidate` out of range [0, %d), received %d", k.limit, class)
			}
		}
	}
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{k.n}); err != nil {
		return err
	}
	if out[1], err = ctx.Alloc(tensor.Float, correct.Dims()); err != nil {
		return err
	}
	if out[2], err = ctx.Alloc(tensor.Float, []int64{k.n}); err != nil {
		return err
	}
	// What TensorFlow keeps for the draws; repeated draws may go beyond it.
	g, err := philox.Reserve(ctx, k.node, k.seed, k.seed2, 2048*uint64(k.n)/4)
	if err != nil {
		return err
	}
	if k.from != nil {
		return k.sample(ctx, k.from, g, correct, out)
	}
	counts, err := resource.LookupOrCreate(ctx.Step.States(), "", k.node, func() (*unigrams, error) { return newUnigrams(ctx.Step.States().Budget, k.limit) })
	if err != nil {
		return err
	}
	counts.mu.Lock()
	defer counts.mu.Unlock()
	if err := k.sample(ctx, counts, g, correct, out); err != nil {
		return err
	}
	return counts.learn(ctx, classes)
}

// sample sets the outputs.
func (k *sampler) sample(ctx *kernel.Context, from distribution, g philox.Generator, correct *tensor.Value, out []tensor.Value) error {
	drawn, numbers := tensor.Of[int64](&out[0]), philox.NewSingle(g)
	if _, all := from.(everything); all {
		for i := range drawn {
			drawn[i] = int64(i)
			tensor.Of[float32](&out[2])[i] = 1
		}
		for i := range tensor.Of[float32](&out[1]) {
			tensor.Of[float32](&out[1])[i] = 1
		}
		return ctx.Err()
	}
	tries := int64(0)
	if k.unique {
		seen := make(map[int64]bool, min(k.n, 1<<16))
		for i := 0; i < len(drawn); {
			if tries%(1<<10) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			tries++
			if class := from.draw(numbers); !seen[class] {
				seen[class] = true
				drawn[i] = class
				i++
			}
		}
	} else {
		for i := range drawn {
			if i%(1<<10) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			drawn[i] = from.draw(numbers)
		}
		tries = k.n
	}
	expected := func(class int64) float32 {
		p := from.probability(class)
		if tries == k.n {
			return p * float32(k.n)
		}
		return float32(-math.Expm1(float64(tries) * math.Log1p(-float64(p))))
	}
	classes, counts := tensor.Of[int64](correct), tensor.Of[float32](&out[1])
	for lo, hi := range ctx.Ranges(len(classes), 1<<13) {
		for i, class := range classes[lo:hi] {
			counts[lo+i] = expected(class)
		}
	}
	for i, class := range drawn {
		tensor.Of[float32](&out[2])[i] = expected(class)
	}
	return ctx.Err()
}

// below64 draws from [0, n) without bias.
func below64(g *philox.Single, n uint64) uint64 {
	next := func() uint64 {
		low := uint64(g.One())
		return low | uint64(g.One())<<32
	}
	if n&(n-1) == 0 {
		return next() & (n - 1)
	}
	least := math.MaxUint64%n + 1
	for {
		if x := next(); x >= least {
			return x % n
		}
	}
}

// uniform draws each class below it alike.
type uniform int64

func (u uniform) draw(g *philox.Single) int64       { return int64(below64(g, uint64(u))) }
func (u uniform) probability(int64) (share float32) { return float32(1 / float64(u)) }

// everything does not draw: each class comes once.
type everything struct{}

func (everything) draw(*philox.Single) int64 { return 0 }
func (everything) probability(int64) float32 { return 1 }

// logUniform draws by Zipf's law.
type logUniform struct {
	n   int64
	log float64 // of n+1
}

func (l logUniform) draw(g *philox.Single) int64 {
	low, high := g.One(), g.One()
	x := math.Float64frombits(1023<<52|uint64(low&0xfffff)<<32|uint64(high)) - 1
	return (int64(math.Exp(x*l.log)) - 1) % l.n
}

func (l logUniform) probability(class int64) float32 {
	return float32(math.Log((float64(class)+2)/(float64(class)+1)) / l.log)
}

// Unigrams count how often classes were right; each counts once at first. The
// counts are the leaves of a binary tree of sums.
type unigrams struct {
	mu     sync.Mutex
	budget *tensor.Budget
	leaves int64   // a power of two
	sums   []int32 // node i has the children 2i and 2i+1; the root is 1
}

func newUnigrams(budget *tensor.Budget, n int64) (*unigrams, error) {
	u := &unigrams{budget: budget, leaves: 1}
	for u.leaves < n {
		u.leaves *= 2
	}
	if err := budget.Charge(u.bytes()); err != nil {
		return nil, err
	}
	u.sums = make([]int32, 2*u.leaves)
	for i := range n {
		u.sums[u.leaves+i] = 1
	}
	for i := u.leaves - 1; i > 0; i-- {
		u.sums[i] = u.sums[2*i] + u.sums[2*i+1]
	}
	return u, nil
}

func (u *unigrams) bytes() int64 { return 8 * u.leaves }

// Close gives the memory back.
func (u *unigrams) Close() { u.budget.Release(u.bytes()) }

func (u *unigrams) draw(g *philox.Single) int64 {
	at := int32(philox.Below(g, uint32(u.sums[1])))
	i := int64(1)
	for i < u.leaves {
		i *= 2
		if at >= u.sums[i] {
			at -= u.sums[i]
			i++
		}
	}
	return i - u.leaves
}

func (u *unigrams) probability(class int64) float32 {
	return float32(u.sums[u.leaves+class]) / float32(u.sums[1])
}

// learn counts classes, which are within the range.
func (u *unigrams) learn(ctx *kernel.Context, classes []int64) error {
	for lo, hi := range ctx.Ranges(len(classes), 1<<13) {
		for _, class := range classes[lo:hi] {
			if u.sums[1] == math.MaxInt32 {
				return status.Errorf(status.ResourceExhausted, "the counts of classes have become too large")
			}
			for i := u.leaves + class; i > 0; i /= 2 {
				u.sums[i]++
			}
		}
	}
	return nil
}

// mapBytes is what an entry of a map of numbers takes, at most.
const mapBytes = 40

// newHits makes the kernel of ComputeAccidentalHits.
func newHits(c *kernel.Construction) (kernel.Kernel, error) {
	correct := c.Int("num_true")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) (err error) {
		switch {
		case in[0].Rank() != 2 || int64(in[0].Dim(1)) != correct:
			return status.Invalid("true_candidates must be a batch_size * num_true matrix")
		case in[1].Rank() != 1:
			return status.Invalid("sampled_candidates must be a vector, which is typically an output from CandidateSampler")
		}
		defer ctx.UnreserveTo(ctx.Reserved())
		if err := ctx.Reserve(mapBytes * in[1].Dim(0)); err != nil {
			return err
		}
		place := make(map[int64]int64, in[1].Dim(0))
		for i, class := range tensor.Of[int64](&in[1]) {
			if i%(1<<13) == 1<<13-1 {
				ctx.Ask()
			}
			place[class] = int64(i)
		}
		n, classes := int64(0), tensor.Of[int64](&in[0])
		for lo, hi := range ctx.Ranges(len(classes), 1<<13) {
			for _, class := range classes[lo:hi] {
				if _, ok := place[class]; ok {
					n++
				}
			}
		}
		for i, dt := range []tensor.DType{tensor.Int32, tensor.Int64, tensor.Float} {
			if out[i], err = ctx.Alloc(dt, []int64{n}); err != nil {
				return err
			}
		}
		to := 0
		for i, class := range classes {
			if i%(1<<13) == 1<<13-1 {
				ctx.Ask()
			}
			at, ok := place[class]
			if !ok {
				continue
			}
			tensor.Of[int32](&out[0])[to] = int32(int64(i) / correct)
			tensor.Of[int64](&out[1])[to] = at
			tensor.Of[float32](&out[2])[to] = -math.MaxFloat32
			to++
		}
		return ctx.Err()
	}), nil
}
