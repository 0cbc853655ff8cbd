package sparse

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/hash"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels that cross features: for each row, all combinations of one value of
// each feature.

func init() {
	kernel.ForAll(newSparseCross, "SparseCross", "SparseCrossV2")
	kernel.ForAll(newRaggedCross, "RaggedCross")
}

// A feature is one of the inputs that are crossed: the values of row r are those
// from starts[r] to starts[r+1]-1, or, if starts is nil, width of them.
type feature struct {
	values *tensor.Value
	starts []int64
	width  int64
	memory tensor.Value // of starts, if it is the step's
}

// release gives back the memory of features.
func release(ctx *kernel.Context, features []feature) {
	for i := range features {
		if !features[i].memory.IsZero() {
			ctx.Free(features[i].memory)
		}
	}
}

func (f *feature) row(r int64) (first, n int64) {
	if f.starts == nil {
		return r * f.width, f.width
	}
	return f.starts[r], f.starts[r+1] - f.starts[r]
}

// text is value i in words.
func (f *feature) text(i int64) string {
	if f.values.DType() == tensor.String {
		return tensor.Of[string](f.values)[i]
	}
	return strconv.FormatInt(tensor.Of[int64](f.values)[i], 10)
}

// print is value i as a number.
func (f *feature) print(i int64) uint64 {
	if f.values.DType() == tensor.String {
		return hash.Fingerprint64(tensor.Of[string](f.values)[i])
	}
	return uint64(tensor.Of[int64](f.values)[i])
}

// A crossing is how values of features become one.
type crossing struct {
	separator string
	hashed    bool
	buckets   int64 // 0 for any number
	key       uint64
}

// combination is what the values in those places are together.
func (c *crossing) combination(out *tensor.Value, n int64, features []feature, at []int64) {
	if !c.hashed {
		words := make([]string, len(features))
		for i := range features {
			words[i] = features[i].text(at[i])
		}
		tensor.Of[string](out)[n] = strings.Join(words, c.separator)
		return
	}
	h := c.key
	for i := range features {
		h = join(h, features[i].print(at[i]))
	}
	if c.buckets > 0 {
		h %= uint64(c.buckets)
	} else {
		h %= math.MaxInt64
	}
	tensor.Of[int64](out)[n] = int64(h)
}

// join returns the fingerprint of two fingerprints.
func join(a, b uint64) uint64 {
	const multiplier = 0xc6a4a7935bd1e995
	mix := func(x uint64) uint64 { return x ^ x>>47 }
	h := (a ^ multiplier ^ mix(b*multiplier)*multiplier) * multiplier
	return mix(mix(h) * multiplier)
}

// size returns how many combinations row r has; it fails where they are too many.
func size(features []feature, r int64) (int64, error) {
	n := int64(1)
	for i := range features {
		_, m := features[i].row(r)
		if m != 0 && n > math.MaxInt64/m {
			return 0, status.Errorf(status.ResourceExhausted, "row %d has more combinations than can be counted", r)
		}
		n *= m
	}
	return n, nil
}

// row puts out the combinations of row r, of which there are n, from place to on.
func (c *crossing) row(ctx *kernel.Context, out *tensor.Value, to, n int64, features []feature, r int64) error {
	at := make([]int64, len(features))
	for k := range n {
		if k%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		rest := k
		for i := len(features) - 1; i >= 0; i-- { // the last feature changes fastest
			first, m := features[i].row(r)
			at[i] = first + rest%m
			rest /= m
		}
		c.combination(out, to+k, features, at)
	}
	return nil
}

// newSparseCross makes the kernel of SparseCross and SparseCrossV2.
func newSparseCross(c *kernel.Construction) (kernel.Kernel, error) {
	n, k := int(c.Int("N")), crossing{separator: "_X_", hashed: c.Bool("hashed_output"), buckets: c.Int("num_buckets"), key: uint64(c.Int("hash_key"))}
	v2 := c.Op.Name == "SparseCrossV2"
	if len(c.Types("sparse_types")) != n {
		return nil, c.Errorf("There are %d tensors of indices and %d of values, which must be as many", n, len(c.Types("sparse_types")))
	}
	dt := tensor.String
	if !v2 {
		if dt = c.Type("out_type"); (dt == tensor.Int64) != k.hashed {
			return nil, c.Errorf("out_type must be int64 where hashed_output is true, and string else, got %v", dt)
		}
		if c.Type("internal_type") == tensor.String {
			for list, name := range map[string]string{"sparse_types": "Input values", "dense_types": "Dense inputs"} {
				if slices.Contains(c.Types(list), tensor.Int64) {
					return nil, c.Errorf("%s should be of internal type %d but received %d", name, tensor.String, tensor.Int64)
				}
			}
		}
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		k := k
		features, rows, err := sparseFeatures(ctx, in, n, v2)
		defer release(ctx, features)
		if err != nil {
			return err
		}
		if v2 {
			separator := &in[len(in)-1]
			if separator.Rank() != 0 {
				return status.Invalid("Input separator should be a scalar. Received: %s", tensor.FormatDims(separator.Dims()))
			}
			k.separator = tensor.At0[string](separator)
		}
		total, widest := int64(0), int64(0)
		for r := range rows {
			if r%block == block-1 {
				ctx.Ask()
			}
			m, err := size(features, r)
			if err != nil {
				return err
			}
			widest = max(widest, m)
			if total += m; total < 0 {
				return status.Errorf(status.ResourceExhausted, "there are more combinations than can be counted")
			}
		}
		if out[0], err = ctx.Alloc(tensor.Int64, []int64{total, 2}); err != nil {
			return err
		}
		if out[1], err = ctx.Alloc(dt, []int64{total}); err != nil {
			return err
		}
		to, at := int64(0), tensor.Of[int64](&out[0])
		for r := range rows {
			if r%block == block-1 {
				ctx.Ask()
			}
			m, _ := size(features, r)
			if err := k.row(ctx, &out[1], to, m, features, r); err != nil {
				return err
			}
			for i := range m {
				at[2*(to+i)], at[2*(to+i)+1] = r, i
			}
			to += m
		}
		return vector(ctx, &out[2], []int64{rows, widest})
	}), nil
}

// sparseFeatures reads n sparse tensors and the matrices behind them.
func sparseFeatures(ctx *kernel.Context, in []tensor.Value, n int, separated bool) (features []feature, rows int64, err error) {
	matrices := in[3*n:]
	if separated {
		matrices = matrices[:len(matrices)-1]
	}
	for i := range n {
		if r := in[i].Rank(); r != 2 {
			return nil, 0, status.Invalid("Input indices should be a matrix but received shape %s at position %d", tensor.FormatDims(in[i].Dims()), i)
		}
		if in[i].Dim(1) != 2 {
			return nil, 0, status.Invalid("Expected D2 of index to be 2 got %d at position %d", in[i].Dim(1), i)
		}
	}
	for i := range n {
		if v := &in[n+i]; v.Rank() != 1 {
			return nil, 0, status.Invalid("Input values should be a vector but received shape %s at position %d", tensor.FormatDims(v.Dims()), i)
		}
		if in[i].Dim(0) != in[n+i].Dim(0) {
			return nil, 0, status.Invalid("Expected size of values to be %d got %d at position %d", in[i].Dim(0), in[n+i].Dim(0), i)
		}
	}
	for i := range n {
		if v := &in[2*n+i]; v.Rank() != 1 {
			return nil, 0, status.Invalid("Input shapes should be a vector but received shape %s at position %d", tensor.FormatDims(v.Dims()), i)
		}
		if in[2*n+i].NumElements() != 2 {
			return nil, 0, status.Invalid("shape should imply a 2D tensor, but got shape %s at position %d", tensor.FormatDims(tensor.Of[int64](&in[2*n+i])), i)
		}
	}
	rows = -1
	for i := range n {
		m := tensor.Of[int64](&in[2*n+i])[0]
		switch {
		case m < 0:
			return nil, 0, status.Invalid("Expected a batch size that is not negative, got %d at position %d", m, i)
		case rows >= 0 && m != rows:
			return nil, 0, status.Invalid("Expected batch size %d got %d at position %d", rows, m, i)
		}
		rows = m
	}
	for i := range matrices {
		v := &matrices[i]
		if v.Rank() != 2 {
			return nil, 0, status.Invalid("Dense inputs should be a matrix but received shape %s at position %d", tensor.FormatDims(v.Dims()), i)
		}
		if rows >= 0 && v.Dims()[0] != rows {
			return nil, 0, status.Invalid("Expected batch size %d got %d at dense tensor %d", rows, v.Dim(0), i)
		}
		rows = v.Dims()[0]
	}
	rows = max(rows, 0)
	for i := range n {
		f, err := sparseFeature(ctx, tensor.Of[int64](&in[i]), &in[n+i], rows, i)
		features = append(features, f)
		if err != nil {
			return features, 0, err
		}
	}
	for i := range matrices {
		features = append(features, feature{values: &matrices[i], width: int64(matrices[i].Dim(1))})
	}
	return features, rows, nil
}

// sparseFeature returns the values of a sparse matrix of so many rows, whose indices
// are those at.
func sparseFeature(ctx *kernel.Context, at []int64, values *tensor.Value, rows int64, position int) (f feature, err error) {
	f.values = values
	if rows == math.MaxInt64 {
		return f, status.Errorf(status.ResourceExhausted, "%d rows are too many to be crossed", rows)
	}
	if f.memory, err = ctx.AllocZeroed(tensor.Int64, []int64{rows + 1}); err != nil {
		return f, err
	}
	f.starts = tensor.Of[int64](&f.memory)
	for i := 0; i < len(at); i += 2 {
		if i%(1<<15) == 1<<15-2 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		r := at[i]
		if r < 0 || r >= rows {
			return f, status.Invalid("indices[%d, 0] = %d at position %d is not in [0, %d)", i/2, r, position, rows)
		}
		if i > 0 && r < at[i-2] {
			return f, status.Invalid("indices[%d, 0] = %d at position %d is out of order", i/2, r, position)
		}
		f.starts[r+1]++
	}
	for r := range f.starts[1:] {
		if r%block == block-1 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		f.starts[r+1] += f.starts[r]
	}
	return f, nil
}

// newRaggedCross makes the kernel of RaggedCross.
func newRaggedCross(c *kernel.Construction) (kernel.Kernel, error) {
	k := crossing{separator: "_X_", hashed: c.Bool("hashed_output"), buckets: c.Int("num_buckets"), key: uint64(c.Int("hash_key"))}
	dt, splits, order := c.Type("out_values_type"), c.Type("out_row_splits_type"), c.Str("input_order")
	if (dt == tensor.Int64) != k.hashed {
		return nil, c.Errorf("out_values_type must be int64 where hashed_output is true, and string else, got %v", dt)
	}
	numbers := [3]int{len(c.Types("ragged_values_types")), int(c.Int("Nsparse")), len(c.Types("dense_types"))}
	if numbers[0] != len(c.Types("ragged_splits_types")) {
		return nil, c.Errorf("ragged values and splits must have the same length.")
	}
	if numbers[1] != len(c.Types("sparse_values_types")) {
		return nil, c.Errorf("sparse indices and values must have the same length")
	}
	for i, letter := range []string{"R", "S", "D"} {
		if strings.Count(order, letter) != numbers[i] {
			return nil, c.Errorf("Invalid input_order")
		}
	}
	if len(order) != numbers[0]+numbers[1]+numbers[2] {
		return nil, c.Errorf("Invalid input_order")
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		features, rows, err := mixedFeatures(ctx, in, order, numbers)
		defer release(ctx, features)
		if err != nil {
			return err
		}
		if out[1], err = ctx.Alloc(splits, []int64{rows + 1}); err != nil {
			return err
		}
		most := int64(math.MaxInt64)
		if splits == tensor.Int32 {
			most = math.MaxInt32
		}
		put := func(i, x int64) {
			if splits == tensor.Int32 {
				tensor.Of[int32](&out[1])[i] = int32(x)
			} else {
				tensor.Of[int64](&out[1])[i] = x
			}
		}
		total := int64(0)
		put(0, 0)
		for r := range rows {
			if r%block == block-1 {
				ctx.Ask()
			}
			m, err := size(features, r)
			if err != nil {
				return err
			}
			if m > most-total {
				return status.Invalid("Row splits too large for %v", splits)
			}
			total += m
			put(r+1, total)
		}
		if out[0], err = ctx.Alloc(dt, []int64{total}); err != nil {
			return err
		}
		to := int64(0)
		for r := range rows {
			if r%block == block-1 {
				ctx.Ask()
			}
			m, _ := size(features, r)
			if err := k.row(ctx, &out[0], to, m, features, r); err != nil {
				return err
			}
			to += m
		}
		return nil
	}), nil
}

// mixedFeatures reads features in the order that its letters give.
func mixedFeatures(ctx *kernel.Context, in []tensor.Value, order string, numbers [3]int) (features []feature, rows int64, err error) {
	r, s := numbers[0], numbers[1]
	ragged, sparse, dense := in[:2*r], in[2*r:2*r+3*s], in[2*r+3*s:]
	rows = -1
	same := func(n int64) error {
		if rows >= 0 && n != rows {
			return status.Invalid("inputs must all have the same batch dimension size.")
		}
		rows = n
		return nil
	}
	for i := range r {
		values, splits := &ragged[i], &ragged[r+i]
		switch {
		case values.Rank() != 1:
			return nil, 0, status.Invalid("tf.ragged.cross only supports inputs with rank=2.")
		case splits.Rank() != 1:
			return nil, 0, status.Invalid("Invalid RaggedTensor")
		case splits.NumElements() == 0:
			return nil, 0, status.Invalid("Invalid RaggedTensor")
		}
		if err := same(int64(splits.NumElements()) - 1); err != nil {
			return nil, 0, err
		}
	}
	for i := range s {
		e, err := entriesOf([]tensor.Value{sparse[i], sparse[s+i], sparse[2*s+i]})
		if err == nil && e.rank != 2 {
			err = status.Invalid("tf.ragged.cross only supports inputs with rank=2.")
		}
		if err == nil && e.dims[0] < 0 {
			err = status.Invalid("a sparse input has a negative dimension")
		}
		if err == nil {
			err = same(e.dims[0])
		}
		if err != nil {
			return nil, 0, err
		}
	}
	for i := range dense {
		if dense[i].Rank() != 2 {
			return nil, 0, status.Invalid("tf.ragged.cross only supports inputs with rank=2.")
		}
		if err := same(dense[i].Dims()[0]); err != nil {
			return nil, 0, err
		}
	}
	rows = max(rows, 0)
	var next [3]int
	for _, letter := range order {
		var f feature
		switch letter {
		case 'R':
			i := next[0]
			next[0]++
			splits := kernel.AppendInts(make([]int64, 0, ragged[r+i].NumElements()), &ragged[r+i])
			last := int64(0)
			for j, x := range splits {
				if j == 0 && x != 0 || x < last || x > int64(ragged[i].NumElements()) {
					return features, 0, status.Invalid("Invalid RaggedTensor")
				}
				last = x
			}
			if n := ragged[i].NumElements(); last != int64(n) {
				return features, 0, status.Invalid("Invalid ragged splits: last element of ragged splits must be the number of ragged values(%d) but is %d", n, last)
			}
			f = feature{values: &ragged[i], starts: splits}
		case 'S':
			i := next[1]
			next[1]++
			if f, err = sparseFeature(ctx, tensor.Of[int64](&sparse[i]), &sparse[s+i], rows, i); err != nil {
				return append(features, f), 0, err
			}
		default:
			i := next[2]
			next[2]++
			f = feature{values: &dense[i], width: dense[i].Dims()[1]}
		}
		features = append(features, f)
	}
	return features, rows, nil
}
