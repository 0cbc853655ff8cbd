package resource

import (
	"context"
	"sync/atomic"

	"github.com/troupe-go/troupe/tensor"
)

// RewriteAll is [Variable.Rewrite] of several variables at once: now[i] is the
// value of vars[i] and next[i] its memory, which may be the same. If f fails,
// all values stay, but for what f has written in place. The variables must be
// distinct. They are locked in one order whatever theirs is, so that programs
// that rewrite the same ones never wait for each other in a circle.
func RewriteAll(ctx context.Context, vars []*Variable, f func(now, next []tensor.Value) error) error {
	if len(vars) == 0 {
		return nil
	}
	locked, err := lockAllHere(ctx, vars)
	if err != nil {
		return err
	}
	defer unlockAll(locked)
	for _, v := range vars {
		v.home()
	}
	now, next := make([]tensor.Value, len(vars)), make([]tensor.Value, len(vars))
	for i, v := range vars {
		if v.value.IsZero() {
			return v.Uninitialized()
		}
		now[i] = v.value
	}
	defer func() { // of the new values, or of the old ones, also if f panics
		for _, v := range vars {
			v.weigh()
		}
	}()
	inPlace := make([]bool, len(vars))
	for i, v := range vars {
		next[i] = now[i]
		if inPlace[i] = v.alone(); inPlace[i] {
			continue
		}
		if err := v.account.charge(sizeOf(v.value)); err != nil {
			return err
		}
		t, err := tensor.New(now[i].DType(), now[i].Dims()...)
		if err != nil {
			return err
		}
		next[i] = tensor.ValueOf(t)
	}
	if err := f(now, next); err != nil {
		return err
	}
	for i, v := range vars {
		if inPlace[i] {
			v.value = next[i]
		} else {
			v.renew(next[i])
		}
	}
	return nil
}

var lastOrder atomic.Uint64

// order returns a number of the variable's own, given when it is first asked for.
func (v *Variable) order() uint64 {
	if n := v.number.Load(); n != 0 {
		return n
	}
	v.number.CompareAndSwap(0, lastOrder.Add(1))
	return v.number.Load()
}
