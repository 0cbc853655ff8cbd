package resource_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func vector(xs ...float32) tensor.Value {
	t, err := tensor.FromSlice(xs, int64(len(xs)))
	if err != nil {
		panic(err)
	}
	return tensor.ValueOf(t)
}

func floats(v tensor.Value) []float32 { return slices.Clone(tensor.Of[float32](&v)) }

func value(t *testing.T, v *resource.Variable) []float32 {
	t.Helper()
	var xs []float32
	_ = v.View(context.Background(), func(val tensor.Value) error {
		if !val.IsZero() {
			xs = floats(val)
		}
		return nil
	})
	return xs
}

// add adds one to the first element.
func add(now, next tensor.Value) (tensor.Value, error) {
	copy(tensor.Of[float32](&next), tensor.Of[float32](&now))
	tensor.Of[float32](&next)[0]++
	return next, nil
}

func TestVariableIsWrittenInPlaceUnlessSeen(t *testing.T) {
	v := &resource.Variable{Name: "v", Type: tensor.Float}
	if err := v.Rewrite(context.Background(), add); status.CodeOf(err) != status.FailedPrecondition {
		t.Fatalf("Rewrite without a value: %v", err)
	}
	given := vector(1, 2)
	if err := v.Assign(given); err != nil {
		t.Fatal(err)
	}
	memory := func() (p *float32) {
		_ = v.View(context.Background(), func(val tensor.Value) error { p = &tensor.Of[float32](&val)[0]; return nil })
		return p
	}
	before := memory()
	_ = v.Rewrite(context.Background(), add)
	if memory() == before {
		t.Error("a value that its giver may hold was written")
	}
	before = memory()
	_ = v.Rewrite(context.Background(), add)
	if memory() != before {
		t.Error("a value that nobody has seen was copied")
	}
	read, _ := v.Read()
	_ = v.Rewrite(context.Background(), add)
	if got := floats(read); !slices.Equal(got, []float32{3, 2}) {
		t.Errorf("a reader's value became %v", got)
	}
	if got := value(t, v); !slices.Equal(got, []float32{4, 2}) {
		t.Errorf("value %v, want [4 2]", got)
	}
	if got := floats(given); !slices.Equal(got, []float32{1, 2}) {
		t.Errorf("the giver's value became %v", got)
	}
}

func TestVariableFailedUpdates(t *testing.T) {
	failure := errors.New("no")
	v := &resource.Variable{Name: "v", Type: tensor.Float}
	_ = v.Assign(vector(1, 2))
	if err := v.Update(context.Background(), func(tensor.Value) (tensor.Value, error) { return vector(9), failure }); err != failure {
		t.Errorf("Update: %v", err)
	}
	if got := value(t, v); !slices.Equal(got, []float32{1, 2}) {
		t.Errorf("a failed Update left %v", got)
	}
	for range 2 { // copied, then in place
		err := v.Rewrite(context.Background(), func(now, next tensor.Value) (tensor.Value, error) {
			next, _ = add(now, next)
			return next, failure
		})
		if err != failure {
			t.Errorf("Rewrite: %v", err)
		}
	}
	if got := value(t, v); !slices.Equal(got, []float32{3, 2}) {
		t.Errorf("failed updates of rows left %v, want what they did before", got)
	}
	err := v.Rewrite(context.Background(), func(now, next tensor.Value) (tensor.Value, error) { return tensor.Value{}, failure })
	if got := value(t, v); err != failure || !slices.Equal(got, []float32{3, 2}) {
		t.Errorf("a refused Rewrite left %v, error %v", got, err)
	}
}

func TestVariableScalars(t *testing.T) {
	v := &resource.Variable{Name: "v", Type: tensor.Float}
	_ = v.Assign(tensor.Scalar(float32(1)))
	read, _ := v.Read()
	_ = v.Rewrite(context.Background(), add)
	if got := value(t, v); !slices.Equal(got, []float32{2}) || tensor.At0[float32](&read) != 1 {
		t.Errorf("value %v, read %v", got, read)
	}
}

func TestVariableChargesTheBudget(t *testing.T) {
	m := &resource.Manager{Budget: tensor.NewBudget(2*tensor.HeaderBytes + 100)}
	v := resource.NewVariable(m, "v", tensor.Float)
	used := func(want int64) {
		t.Helper()
		if got := m.Budget.Used(); got != want {
			t.Errorf("%d bytes charged, want %d", got, want)
		}
	}
	if err := v.Assign(vector(make([]float32, 10)...)); err != nil {
		t.Fatal(err)
	}
	used(tensor.HeaderBytes + 40)
	if err := v.Assign(vector(make([]float32, 20)...)); status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("past the limit: %v", err)
	}
	used(tensor.HeaderBytes + 40)
	_ = v.Rewrite(context.Background(), add)
	used(tensor.HeaderBytes + 40)
	_ = v.Assign(vector(1))
	used(tensor.HeaderBytes + 4)
	_ = v.Assign(tensor.Value{})
	used(0)
	if _, ok := v.Read(); ok {
		t.Error("the variable has a value")
	}
	_ = v.Assign(vector(1, 2))
	v.Close()
	used(0)
	_ = v.Assign(vector(1, 2, 3)) // whoever held it goes on
	used(0)
}

func TestVariableReadersAndWriters(t *testing.T) {
	v := &resource.Variable{Name: "v", Type: tensor.Float}
	_ = v.Assign(vector(0, 0))
	both := func(now, next tensor.Value) (tensor.Value, error) {
		n, o := tensor.Of[float32](&now), tensor.Of[float32](&next)
		x := n[0]
		o[0], o[1] = x+1, x+1
		return next, nil
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range 300 {
				_ = v.Rewrite(context.Background(), both)
			}
		})
		wg.Go(func() {
			for range 300 {
				val, _ := v.Read()
				if xs := tensor.Of[float32](&val); xs[0] != xs[1] {
					t.Errorf("half an update was read: %v", xs)
				}
			}
		})
	}
	wg.Wait()
	if got := value(t, v); got[0] != 600 {
		t.Errorf("value %v, want 600: updates were lost", got)
	}
}
