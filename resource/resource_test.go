package resource_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

type thing struct{ closed bool }

func (t *thing) Close() { t.closed = true }

func TestManager(t *testing.T) {
	m := resource.NewManager()
	create := func() (*thing, error) { return new(thing), nil }
	a, err := resource.LookupOrCreate(m, "", "a", create)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := resource.LookupOrCreate(m, resource.DefaultContainer, "a", create); b != a {
		t.Error("the default container is not the one without a name")
	}
	if b, _ := resource.LookupOrCreate(m, "other", "a", create); b == a {
		t.Error("two containers share a name")
	}
	if _, err := resource.Lookup[int](m, "", "a"); status.CodeOf(err) != status.NotFound {
		t.Errorf("a resource of another type: %v", err)
	}
	failure := errors.New("no")
	if _, err := resource.LookupOrCreate(m, "", "b", func() (*thing, error) { return nil, failure }); err != failure {
		t.Errorf("error %v, want that of making it", err)
	}
	if _, err := resource.Lookup[*thing](m, "", "b"); status.CodeOf(err) != status.NotFound {
		t.Errorf("what could not be made is there: %v", err)
	}
	if err := resource.Delete[*thing](m, "", "a"); err != nil || !a.closed {
		t.Errorf("Delete: %v, closed %v", err, a.closed)
	}
	if err := resource.Delete[*thing](m, "", "a"); status.CodeOf(err) != status.NotFound {
		t.Errorf("the second Delete: %v", err)
	}
	if m.NextID() != 0 || m.NextID() != 1 {
		t.Error("NextID does not count from 0")
	}
	c, _ := resource.LookupOrCreate(m, "x", "c", create)
	if !m.DeleteAll("x", "c") || !c.closed || m.DeleteAll("x", "c") {
		t.Error("DeleteAll")
	}
	d, _ := resource.LookupOrCreate(m, "x", "d", create)
	if m.Clear(); !d.closed {
		t.Error("Clear does not close")
	}
}

func handle(name string) tensor.Value {
	return tensor.Scalar(&tensor.Handle{Container: resource.DefaultContainer, Name: name})
}

func TestCacheFindsWhatTheManagerFinds(t *testing.T) {
	m, other := resource.NewManager(), resource.NewManager()
	var target resource.Target
	v := handle("v")
	if _, err := target.Find(m, &v); status.CodeOf(err) != status.NotFound {
		t.Fatalf("Find before anything is made: %v", err)
	}
	a, err := target.Create(m, &v, tensor.Float)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if b, err := target.Find(m, &v); b != a || err != nil {
			t.Errorf("Find: another variable, error %v", err)
		}
	}
	if _, err := target.Find(other, &v); status.CodeOf(err) != status.NotFound {
		t.Errorf("Find in another session: %v", err)
	}
	if b, _ := target.Find(m, &v); b != a {
		t.Error("Find after another session asked: another variable")
	}
	m.DeleteAll("", "v")
	if _, err := target.Find(m, &v); status.CodeOf(err) != status.NotFound {
		t.Errorf("Find of a deleted variable: %v", err)
	}
	if b, _ := target.Create(m, &v, tensor.Float); b == a || b == nil {
		t.Error("a deleted variable came back")
	}
}

func TestBadHandles(t *testing.T) {
	m := resource.NewManager()
	var target resource.Target
	none, _ := tensor.FromSlice([]*tensor.Handle{}, 0)
	two, _ := tensor.FromSlice([]*tensor.Handle{{}, {}}, 2)
	for name, v := range map[string]tensor.Value{
		"no handle":  tensor.ValueOf(none),
		"two":        tensor.ValueOf(two),
		"a nil one":  tensor.Scalar((*tensor.Handle)(nil)),
		"of a queue": tensor.Scalar(&tensor.Handle{Value: newQueue(1)}),
		"not ours":   tensor.RefTo(tensor.Float, cell{}),
	} {
		if _, err := target.Find(m, &v); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type cell struct{}

func (cell) Read() (tensor.Value, bool) { return tensor.Value{}, false }

func TestCacheIsRaceFree(t *testing.T) {
	var target resource.Target
	managers := []*resource.Manager{resource.NewManager(), resource.NewManager()}
	want := make([]*resource.Variable, len(managers))
	v := handle("v")
	for i, m := range managers {
		want[i], _ = target.Create(m, &v, tensor.Int32)
	}
	var wg sync.WaitGroup
	for i, m := range managers {
		wg.Go(func() {
			for range 500 {
				if got, err := target.Find(m, &v); got != want[i] {
					t.Errorf("session %d found another variable, error %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func ExampleManager() {
	m := resource.NewManager()
	v, _ := resource.LookupOrCreate(m, "", "counter", func() (*resource.Variable, error) {
		return resource.NewVariable(m, "counter", tensor.Int64), nil
	})
	_ = v.Assign(tensor.Scalar(int64(41)))
	_ = v.Update(context.Background(), func(old tensor.Value) (tensor.Value, error) {
		return tensor.Scalar(tensor.At0[int64](&old) + 1), nil
	})
	val, ok := v.Read()
	fmt.Println(val, ok)

	_, err := resource.Lookup[*resource.Variable](m, "", "other")
	fmt.Println(err)
	// Output:
	// 42 true
	// NOT_FOUND: Resource localhost/other/Variable does not exist.
}
