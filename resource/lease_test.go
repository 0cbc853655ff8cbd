package resource_test

import (
	"testing"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A step is an arena with what holds its tokens.
type step struct {
	*testing.T
	tensor.Arena
	v *resource.Variable
}

// read returns a token of the variable's value.
func (s *step) read() tensor.Value {
	s.Helper()
	val, lease, err := s.v.Acquire(s.Context())
	if err != nil || lease == nil {
		s.Fatalf("the value is not leased: %v", err)
	}
	w, err := s.Borrow(val, lease)
	if err != nil {
		s.Fatal(err)
	}
	w.Claim()
	w.Hold(1)
	return w
}

func (s *step) memory() (p *float32) {
	_ = s.v.View(s.Context(), func(val tensor.Value) error { p = &tensor.Of[float32](&val)[0]; return nil })
	return p
}

// A value is written in place again when all that steps made of it is gone, and not
// before.
func TestLease(t *testing.T) {
	v := &resource.Variable{Name: "v", Type: tensor.Float}
	s := &step{T: t, v: v}
	update := func(inPlace bool, when string) {
		t.Helper()
		before := s.memory()
		if err := v.Rewrite(t.Context(), add); err != nil {
			t.Fatal(err)
		}
		if (s.memory() == before) != inPlace {
			t.Errorf("written in place: %t, %s", s.memory() == before, when)
		}
	}
	if err := v.Assign(vector(1, 2)); err != nil {
		t.Fatal(err)
	}
	update(false, "though somebody gave the value")

	a := s.read()
	update(false, "though a token holds it")
	if got := floats(a); got[0] != 2 {
		t.Errorf("what was read has become %v", got)
	}
	s.Drop(a)
	update(true, "though the token was of the value before")

	a = s.read()
	s.Drop(a)
	update(true, "though the token is gone")

	a = s.read()
	row, err := s.View(a, 0, 2, []int64{2, 1})
	if err != nil {
		t.Fatal(err)
	}
	row.Claim()
	row.Hold(1)
	s.Drop(a)
	update(false, "though a view of what was read is held")
	s.Drop(row)

	a = s.read()
	kept := a.Share()
	s.Drop(a)
	update(false, "though somebody keeps what was read")
	if got := floats(kept); got[0] != 6 {
		t.Errorf("what was kept has become %v", got)
	}

	a = s.read()
	s.UnchargeValue(a)
	s.Drop(a)
	update(false, "though a resource keeps what was read")

	a = s.read()
	if a.Sole() || a.SoleView() {
		t.Error("a kernel may write what was read")
	}
	if err := resource.RewriteAll(t.Context(), []*resource.Variable{v}, func(now, next []tensor.Value) error {
		if &tensor.Of[float32](&now[0])[0] == &tensor.Of[float32](&next[0])[0] {
			t.Error("RewriteAll writes what a token holds")
		}
		s.Drop(a) // too late
		_, err := add(now[0], next[0])
		return err
	}); err != nil {
		t.Fatal(err)
	}
	a = s.read()
	s.Drop(a)
	update(true, "though the token is gone since RewriteAll")

	if _, ok := v.Read(); !ok {
		t.Fatal("no value")
	}
	update(false, "though somebody who is not counted has read it")
}

// A step that passes its limit gives its lease up.
func TestLeaseBeyondTheLimit(t *testing.T) {
	v := &resource.Variable{Name: "v", Type: tensor.Float}
	if err := v.Assign(vector(1, 2)); err != nil {
		t.Fatal(err)
	}
	if err := v.Rewrite(t.Context(), add); err != nil {
		t.Fatal(err)
	}
	s := &step{T: t, Arena: tensor.Arena{Budget: tensor.NewFailing(1)}, v: v}
	val, lease, _ := v.Acquire(t.Context())
	if _, err := s.Borrow(val, lease); status.CodeOf(err) != status.ResourceExhausted || !lease.Idle() {
		t.Errorf("%v, idle: %t", err, lease.Idle())
	}
}
