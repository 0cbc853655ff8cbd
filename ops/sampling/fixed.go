package sampling

import (
	"bufio"
	"math"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A fixed draws classes with given weights, by the alias method: M. Vose, "A linear
// algorithm for generating random numbers with a given distribution", 1991. It is a
// resource of the session, as its weights may come from a file.
type fixed struct {
	budget  *tensor.Budget
	weights []float32
	total   float32
	keep    []float32 // how often a class that was hit is taken
	alias   []int32   // which is taken else
}

// newFixed makes the kernel of FixedUnigramCandidateSampler.
func newFixed(c *kernel.Construction) (kernel.Kernel, error) {
	made, err := newSampler(func(int64) distribution { return nil })(c)
	if err != nil {
		return nil, err
	}
	k := made.(*sampler)
	file, reserved, distortion := c.Str("vocab_file"), c.Int("num_reserved_ids"), c.Float("distortion")
	shards, shard := c.Int("num_shards"), c.Int("shard")
	var given []float32
	if v := c.Attrs.Find("unigrams"); v != nil {
		for i := range v.List {
			given = append(given, v.List[i].F)
		}
	}
	switch {
	case file == "" && given == nil:
		return nil, c.Errorf("Must provide either vocab_file or unigrams.")
	case file != "" && given != nil:
		return nil, c.Errorf("Must only provide one of vocab_file and unigrams.")
	case k.limit >= math.MaxInt32:
		return nil, c.Errorf("range_max must be below %d, got %d", math.MaxInt32, k.limit)
	case shard >= shards:
		return nil, c.Errorf("shard must be below num_shards, %d, got %d", shards, shard)
	case reserved < 0 || reserved > k.limit*shards:
		return nil, c.Errorf("num_reserved_ids must be in [0, %d], got %d", k.limit*shards, reserved)
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		f, err := resource.LookupOrCreate(ctx.Step.States(), "_fixed", k.node, func() (*fixed, error) {
			f := &fixed{budget: ctx.Step.States().Budget}
			if err := f.budget.Charge(f.bytes(k.limit)); err != nil {
				return nil, err
			}
			id := int64(0)
			add := func(w float32) {
				if id%shards == shard {
					w = float32(math.Pow(float64(w), float64(distortion)))
					if id < reserved {
						w = 0
					}
					f.weights = append(f.weights, w)
				}
				id++
			}
			for range reserved {
				add(0)
			}
			err := f.read(ctx, file, given, k.limit, add)
			if err == nil {
				err = f.divide(k.limit)
			}
			if err != nil {
				f.budget.Release(f.bytes(k.limit))
				return nil, err
			}
			return f, nil
		})
		if err != nil {
			return err
		}
		with := *k
		with.from = f
		return with.Run(ctx, in, out)
	}), nil
}

func (f *fixed) bytes(limit int64) int64 { return 12 * limit }

// Close gives the memory back.
func (f *fixed) Close() { f.budget.Release(f.bytes(int64(len(f.weights)))) }

// read adds the weights that are given, or those in a file.
func (f *fixed) read(ctx *kernel.Context, file string, given []float32, limit int64, add func(w float32)) error {
	if file == "" {
		for _, w := range given {
			add(w)
		}
		return nil
	}
	in, err := ctx.Step.Files.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		line := lines.Text()
		w, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ',')+1:]), 32)
		if err != nil || !strings.Contains(line, ",") {
			return status.Invalid("Wrong vocabulary format at line: %.200s", line)
		}
		if int64(len(f.weights)) > limit {
			break // too many, as divide will tell
		}
		add(float32(w))
	}
	return status.FromFile(lines.Err())
}

// divide works out from the weights what each class keeps of its share.
func (f *fixed) divide(limit int64) error {
	n := len(f.weights)
	if int64(n) != limit {
		return status.Invalid("range is %d must be equal to weights size %d", limit, n)
	}
	sum := 0.0
	for i, w := range f.weights {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return status.Invalid("the weight of class %d is %v", i, w)
		}
		f.total += w
		sum += float64(w)
	}
	if !(sum > 0) || math.IsInf(float64(f.total), 1) {
		return status.Invalid("the weights add up to %v", sum)
	}
	f.keep, f.alias = make([]float32, n), make([]int32, n)
	share := make([]float64, n)
	var low, high []int
	for i, w := range f.weights {
		f.alias[i] = int32(i)
		if share[i] = float64(w*float32(n)) / sum; share[i] < 1 {
			low = append(low, i)
		} else {
			high = append(high, i)
		}
	}
	for len(low) > 0 && len(high) > 0 {
		l, h := low[len(low)-1], high[len(high)-1]
		low, high = low[:len(low)-1], high[:len(high)-1]
		f.alias[l] = int32(h)
		if share[h] -= 1 - share[l]; share[h] < 1 {
			low = append(low, h)
		} else {
			high = append(high, h)
		}
	}
	for i := range share {
		f.keep[i] = float32(share[i])
	}
	for _, i := range append(low, high...) { // what rounding left over
		f.keep[i] = 1
	}
	return nil
}

func (f *fixed) draw(g *philox.Single) int64 {
	x := philox.Unit(g)
	i := philox.Below(g, uint32(len(f.weights)))
	if x < f.keep[i] {
		return int64(i)
	}
	return int64(f.alias[i])
}

func (f *fixed) probability(class int64) float32 { return f.weights[class] / f.total }
