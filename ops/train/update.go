package train

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxSlots is the most variables that an operation updates: its variable and
// what the optimizer keeps beside it.
const maxSlots = 4

// elements are those of the variable and its slots, in the order of the inputs,
// as many of each.
type elements[T elementwise.Field] [maxSlots][]T

// A rule is the arithmetic of an optimizer on some elements: it sets next from
// now, which may be the same memory, and the gradient. h is the operation's
// numbers, in the order of its inputs.
type rule[T elementwise.Field] func(h, grad []T, now, next *elements[T])

// A ruleOf makes the rule of a node; the attributes decide on its form.
type ruleOf[T elementwise.Field] func(c *kernel.Construction) rule[T]

// Where the operations have kernels.
var (
	floats      = elementwise.Floats
	notBfloat16 = []tensor.DType{tensor.Half, tensor.Float, tensor.Double}
	wide        = []tensor.DType{tensor.Float, tensor.Double}
)

// registerReal registers operations on real numbers.
func registerReal(types []tensor.DType, f32 ruleOf[float32], f64 ruleOf[float64], ops ...string) {
	for _, op := range ops {
		kernel.Register(kernel.Registration{Op: op, Types: map[string][]tensor.DType{"T": types}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			switch c.Type("T") {
			case tensor.Double:
				return newUpdate(c, direct(f64(c))), nil
			case tensor.Half:
				return newUpdate(c, narrow(f32(c), tensor.Float16.Float32, tensor.ToFloat16)), nil
			case tensor.Bfloat16:
				return newUpdate(c, narrow(f32(c), tensor.BFloat16.Float32, tensor.ToBFloat16)), nil
			default:
				return newUpdate(c, direct(f32(c))), nil
			}
		}})
	}
}

// registerComplex registers what operations do on complex numbers.
func registerComplex(c64 ruleOf[complex64], c128 ruleOf[complex128], ops ...string) {
	for _, op := range ops {
		kernel.ForType(op, "T", tensor.Complex64, func(c *kernel.Construction) (kernel.Kernel, error) { return newUpdate(c, direct(c64(c))), nil })
		kernel.ForType(op, "T", tensor.Complex128, func(c *kernel.Construction) (kernel.Kernel, error) { return newUpdate(c, direct(c128(c))), nil })
	}
}

// A span names the n elements from element at on, and those of the gradient
// from element grad on.
type span struct{ at, grad, n int }

// An application applies a rule to elements of tensors.
type application func(h []tensor.Value, grad *tensor.Value, now, next []tensor.Value, s span)

// maxNumbers is the most numbers that an operation has.
const maxNumbers = 6

// direct applies a rule to elements where they lie.
//
//go:noinline
func direct[T elementwise.Field](r rule[T]) application {
	return func(h []tensor.Value, grad *tensor.Value, now, next []tensor.Value, s span) {
		var numbers [maxNumbers]T
		for i := range h {
			numbers[i] = tensor.At0[T](&h[i])
		}
		var x, o elements[T]
		for k := range now {
			x[k] = tensor.Of[T](&now[k])[s.at : s.at+s.n]
			o[k] = tensor.Of[T](&next[k])[s.at : s.at+s.n]
		}
		r(numbers[:len(h)], tensor.Of[T](grad)[s.grad:s.grad+s.n], &x, &o)
	}
}

// narrow applies a rule to elements of 16 bits, as float32.
//
//go:noinline
func narrow[S tensor.Float16 | tensor.BFloat16](r rule[float32], widen func(S) float32, round func(float32) S) application {
	return func(h []tensor.Value, grad *tensor.Value, now, next []tensor.Value, s span) {
		const block = 256
		var scratch [maxSlots + 1][block]float32
		var numbers [maxNumbers]float32
		for i := range h {
			numbers[i] = widen(tensor.At0[S](&h[i]))
		}
		for ; s.n > 0; s = (span{s.at + block, s.grad + block, s.n - block}) {
			n := min(s.n, block)
			var x elements[float32]
			for k := range now {
				x[k] = scratch[k][:n]
				for i, v := range tensor.Of[S](&now[k])[s.at : s.at+n] {
					x[k][i] = widen(v)
				}
			}
			g := scratch[maxSlots][:n]
			for i, v := range tensor.Of[S](grad)[s.grad : s.grad+n] {
				g[i] = widen(v)
			}
			r(numbers[:len(h)], g, &x, &x)
			for k := range next {
				o := tensor.Of[S](&next[k])[s.at : s.at+n]
				for i, v := range x[k] {
					o[i] = round(v)
				}
			}
		}
	}
}

// An update is the kernel of all operations of this package.
type update struct {
	dt       tensor.DType
	names    []string // of the inputs
	slots    int      // of the inputs, the first are variables
	grad     int      // which input
	indices  int      // which input; -1: all elements are updated
	numbers  []int    // which inputs
	refuse   func(name string, x float64) string
	apply    application
	variable [maxSlots]resource.Target
}

func newUpdate(c *kernel.Construction, apply application) *update {
	k := &update{dt: c.Type("T"), indices: -1, apply: apply}
	for i := range c.Op.Inputs {
		name := c.Op.Inputs[i].Name
		k.names = append(k.names, name)
		switch {
		case slots[name]:
			k.slots++
		case name == "grad" || name == "delta":
			k.grad = i
		case name == "indices":
			k.indices = i
		default:
			k.numbers = append(k.numbers, i)
		}
	}
	switch {
	case strings.Contains(c.Op.Name, "SparseApplyFtrl"):
		zero := c.Bool("multiply_linear_by_lr")
		k.refuse = func(name string, x float64) string { return ftrlNumber(name, x, zero) }
	case strings.Contains(c.Op.Name, "ProximalAdagrad"):
		k.refuse = proximalNumber
	}
	return k
}

func (k *update) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	// A variable may come several times; it is one then.
	vars := make([]*resource.Variable, 0, maxSlots)
	var which [maxSlots]int // of vars, for each slot
	for i := range k.slots {
		v, err := k.variable[i].Find(ctx.Step.Resources, &in[i])
		if status.CodeOf(err) == status.NotFound {
			return status.Errorf(status.Internal, "Invalid variable reference.")
		}
		if err != nil {
			return err
		}
		if v.Type != k.dt {
			return status.Invalid("variable %s holds %v and is updated as %v", v.Name, v.Type, k.dt)
		}
		if which[i] = slices.Index(vars, v); which[i] < 0 {
			which[i] = len(vars)
			vars = append(vars, v)
		}
	}
	args := slices.Clone(in)
	err := resource.RewriteAll(ctx.Step.Context, vars, func(now, next []tensor.Value) error {
		if len(vars) == k.slots {
			return k.run(ctx, args, now, next)
		}
		start(now, next)
		all := make([]tensor.Value, k.slots)
		for i := range all {
			all[i] = next[which[i]]
			if in[i].IsRef() || k.indices >= 0 {
				if all[i].Plain() { // a copy of a scalar is no alias
					return status.Errorf(status.Unimplemented, "a scalar variable that is updated in two roles at once")
				}
				continue
			}
			// Of a resource each role has a copy, and what the last makes of it counts;
			// where only rows change there is one for all.
			if slices.Contains(which[i+1:k.slots], which[i]) {
				own, err := tensor.New(all[i].DType(), all[i].Dims()...)
				if err != nil {
					return err
				}
				all[i] = tensor.ValueOf(own)
				strided.Move(&all[i], 0, &next[which[i]], 0, all[i].NumElements())
			}
		}
		if err := k.run(ctx, args, all, all); err != nil {
			return err
		}
		for i := range all {
			next[which[i]] = all[i]
		}
		return nil
	})
	if err == nil && len(out) > 0 {
		out[0] = in[0]
	}
	return err
}

// start makes the elements of next those of now.
func start(now, next []tensor.Value) {
	for i := range next {
		if next[i] != now[i] {
			strided.Move(&next[i], 0, &now[i], 0, now[i].NumElements())
		}
	}
}

func (k *update) run(ctx *kernel.Context, in, now, next []tensor.Value) error {
	var buf [maxNumbers]tensor.Value
	h := buf[:0]
	for _, i := range k.numbers {
		if what := k.badNumber(i, &in[i]); what != "" {
			return status.Invalid("%s: %s", what, tensor.FormatDims(in[i].Dims()))
		}
		h = append(h, in[i])
	}
	x := now[0].Dims()
	if k.indices >= 0 && len(x) == 0 {
		return status.Invalid("var must be at least 1 dimensional")
	}
	for i := 1; i < k.slots; i++ {
		if !slices.Equal(x, now[i].Dims()) {
			return k.unlike(i, x, now[i].Dims())
		}
	}
	grad := &in[k.grad]
	if k.indices >= 0 {
		return k.rows(ctx, h, grad, &in[k.indices], now, next)
	}
	if !slices.Equal(x, grad.Dims()) {
		return k.unlike(k.grad, x, grad.Dims())
	}
	n := now[0].NumElements()
	if n <= elementwise.Grain {
		k.apply(h, grad, now, next, span{0, 0, n})
		return nil
	}
	// A step that ends early still updates all elements or none.
	ctx.Parallel(n, elementwise.Grain, func(lo, hi int) { k.apply(h, grad, now, next, span{lo, lo, hi - lo}) })
	return nil
}

// badNumber reports what is wrong with input i, a number: nothing as a rule.
func (k *update) badNumber(i int, v *tensor.Value) string {
	name, x := k.names[i], 0.0
	if name == "sign_decay" && v.NumElements() == 1 { // of any rank
		return ""
	}
	if v.IsScalar() {
		if k.refuse == nil {
			return ""
		}
		x = number(v)
	} else if k.refuse != nil {
		x = -1 // whatever it is
		if name == "lr_power" {
			x = 1
		}
	}
	if k.refuse != nil {
		if what := k.refuse(name, x); what != "" || v.IsScalar() {
			return what
		}
	}
	return words(name) + " is not a scalar"
}

// words returns what messages call a number.
func words(name string) string {
	switch name {
	case "l1", "l2":
		return name + " regularization strength"
	case "l2_shrinkage":
		return "l2 shrinkage regularization strength"
	}
	return name
}

// number returns a scalar of a real type.
func number(v *tensor.Value) float64 {
	switch v.DType() {
	case tensor.Half:
		return float64(tensor.At0[tensor.Float16](v).Float32())
	case tensor.Bfloat16:
		return float64(tensor.At0[tensor.BFloat16](v).Float32())
	case tensor.Double:
		return tensor.At0[float64](v)
	default:
		return float64(tensor.At0[float32](v))
	}
}

func (k *update) unlike(i int, x, y []int64) error {
	return status.Invalid("%s and %s do not have the same shape%s %s", k.names[0], k.names[i], tensor.FormatDims(x), tensor.FormatDims(y))
}

// rows updates the rows that indices name, one after the other.
func (k *update) rows(ctx *kernel.Context, h []tensor.Value, grad, indices *tensor.Value, now, next []tensor.Value) error {
	x, g := now[0].Dims(), grad.Dims()
	if indices.Rank() != 1 {
		return status.Invalid("indices must be one-dimensional")
	}
	if len(g) != len(x) {
		return status.Invalid("grad must have the same number of dimensions as var")
	}
	n := 1
	for d := 1; d < len(x); d++ {
		if x[d] != g[d] {
			return status.Invalid("var and grad must match in dimension %d", d)
		}
		n *= int(x[d])
	}
	if g[0] != int64(indices.Dim(0)) {
		return status.Invalid("grad must be the same size as indices in the first dimension.")
	}
	if indices.Dim(0) > 0 && n == 0 {
		return status.Invalid("Inner dimension should be greater than zero.")
	}
	if err := inRange(indices, x[0]); err != nil {
		return err
	}
	start(now, next)
	for i := range indices.Dim(0) {
		k.apply(h, grad, next, next, span{int(index(indices, i)) * n, i * n, n})
	}
	return nil
}

// inRange checks all indices before the first row is updated.
func inRange(indices *tensor.Value, limit int64) error {
	for i := range indices.Dim(0) {
		if at := index(indices, i); at < 0 || at >= limit {
			return status.Invalid("Index %d at offset %d in indices is out of range", at, i)
		}
	}
	return nil
}

func index(indices *tensor.Value, i int) int64 {
	if indices.DType() == tensor.Int32 {
		return int64(tensor.Of[int32](indices)[i])
	}
	return tensor.Of[int64](indices)[i]
}
