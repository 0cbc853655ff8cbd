package cellular

import (
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/tensor"
)

// bound is a form whose invariants are constants: kernels keep what they derive of a constant,
// such as weights in the order in which a product reads them, where an argument might be another
// one in each iteration.
type bound struct {
	*form
	to []tensor.Value // of the loop's variables those that are constants
}

// worthBinding is after how many iterations of a form's batches programs with constants are made
// for the second time: the first ones are made with the form. After each time it takes more than
// twice as many, so that a model whose variables are assigned again and again is not compiled again
// and again.
const worthBinding = 64

// withConstants returns the form with these invariants as constants, if there is one or it is time
// to make it; else f.
func (f *form) withConstants(step *kernel.Step, values []tensor.Value) *form {
	k := f.loop
	k.mu.Lock()
	b, tries := f.bound, f.tries
	k.mu.Unlock()
	if b.fits(values) {
		return b.form
	}
	if tries > 16 || f.ran.Load() < worthBinding*(1<<tries-1) {
		return f
	}
	if tries == 0 { // others that come now wait, so that all meet
		select {
		case <-k.turn:
		case <-step.Context.Done():
			return f
		}
	} else {
		select {
		case <-k.turn:
		default:
			return f // somebody compiles
		}
	}
	defer func() { k.turn <- struct{}{} }()
	k.mu.Lock()
	b, again := f.bound, f.tries != tries
	k.mu.Unlock()
	switch {
	case again && b.fits(values):
		return b.form
	case again:
		return f
	}
	made := f.bind(step, values)
	k.mu.Lock()
	defer k.mu.Unlock()
	f.tries++
	f.ran.Store(0)
	if made == nil {
		return f
	}
	if f.bound != nil {
		f.bound.drop()
	}
	f.bound = made
	return made.form
}

// fits reports whether b, which may be nil, has these invariants.
func (b *bound) fits(values []tensor.Value) bool {
	if b == nil {
		return false
	}
	for i := range values {
		if b.to[i] != (tensor.Value{}) && !same(&b.to[i], &values[i]) {
			return false
		}
	}
	return true
}

// bind compiles the programs with constants; nil if there are none or they do not compile. Its
// caller has the turn.
func (f *form) bind(step *kernel.Step, values []tensor.Value) *bound {
	functions, ok := step.Functions.(*compile.Functions)
	if !ok {
		return nil
	}
	k := f.loop
	b := &bound{form: &form{loop: k, place: place{mu: &k.mu, full: fullLane}}, to: make([]tensor.Value, len(values))}
	args := make([]batching.Arg, len(values))
	some := false
	for i := range values {
		args[i] = batching.ArgOf(&values[i], k.invariant[i], k.handleTypes[i], k.handleShapes[i])
		if v := &f.batch.Variables[i]; v.Role == batching.Invariant && v.Passed && k.types[i] != tensor.Resource && k.types[i] != tensor.Variant {
			args[i].Value, b.to[i] = values[i].Tensor(), values[i]
			some = true
		}
	}
	if !some {
		return nil
	}
	batch, err := k.flat.Build(args)
	if err != nil || b.form.compile(step.Context, functions, batch) != nil {
		return nil
	}
	b.batch = batch
	return b
}
