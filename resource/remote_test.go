package resource

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// far is a value on a device of its own.
type far struct {
	v        tensor.Value
	lost     error
	fetched  int
	released int
	held     []func(tensor.Value, error) // not nil: what is asked for does not come
}

func (f *far) Host(done func(tensor.Value, error)) {
	f.fetched++
	switch {
	case f.released > 0:
		done(tensor.Value{}, errors.New("used after its release"))
	case f.held != nil:
		f.held = append(f.held, done)
	default:
		done(f.v, f.lost)
	}
}

func (f *far) Lost() error { return f.lost }

func (f *far) Release() { f.released++ }

func row(t *testing.T, x ...float32) tensor.Value {
	t.Helper()
	v, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	return tensor.ValueOf(v)
}

// move makes r the value of v.
func move(t *testing.T, v *Variable, r Remote) {
	t.Helper()
	if err := Exchange([]*Variable{v}, func(at []Stored) error { at[0] = Stored{Remote: r}; return nil }); err != nil {
		t.Fatal(err)
	}
}

// A reader of the host's gets a copy, once, beside the device's; a change takes the value
// away from the device.
func TestRemote(t *testing.T) {
	m := NewManager()
	m.Budget = tensor.NewBudget(1 << 20)
	v := NewVariable(m, "w", tensor.Float)
	if err := v.Assign(row(t, 1, 2)); err != nil {
		t.Fatal(err)
	}
	held := m.Budget.Used()
	first := &far{v: row(t, 3, 4)}
	move(t, v, first)
	if m.Budget.Used() != 0 || held == 0 {
		t.Errorf("%d bytes of the host's are charged for what a device has, %d before", m.Budget.Used(), held)
	}
	for range 2 {
		if x, ok := v.Read(); !ok || tensor.Of[float32](&x)[1] != 4 {
			t.Errorf("read %v", x)
		}
	}
	if !v.Initialized() || first.fetched != 1 || first.released != 0 || m.Budget.Used() != held {
		t.Errorf("%+v, %d bytes", first, m.Budget.Used())
	}
	if err := v.Rewrite(context.Background(), func(now, next tensor.Value) (tensor.Value, error) {
		tensor.Of[float32](&next)[0] = tensor.Of[float32](&now)[0] + 10
		return next, nil
	}); err != nil {
		t.Fatal(err)
	}
	if x, _ := v.Read(); tensor.Of[float32](&x)[0] != 13 || first.fetched != 1 || first.released != 1 {
		t.Errorf("%v, %+v", x, first)
	}
	second := &far{v: row(t, 5, 6)}
	move(t, v, second)
	if err := RewriteAll(context.Background(), []*Variable{v}, func(now, next []tensor.Value) error { next[0] = now[0]; return nil }); err != nil {
		t.Fatal(err)
	}
	third := &far{v: row(t, 7, 8)}
	move(t, v, third)
	if err := v.Assign(row(t, 9)); err != nil || second.released != 1 || third.released != 1 || third.fetched != 0 {
		t.Errorf("%v, %+v, %+v", err, second, third)
	}
	last := &far{v: row(t, 1)}
	move(t, v, last)
	v.Close()
	if last.released != 1 || v.Initialized() || m.Budget.Used() != 0 {
		t.Errorf("closed: %+v, %d bytes", last, m.Budget.Used())
	}
}

// What was lost is told with the variable's name until there is another value.
func TestRemoteLost(t *testing.T) {
	v := NewVariable(NewManager(), "w", tensor.Float)
	gone := &far{lost: status.Errorf(status.Unavailable, "device X is lost")}
	move(t, v, gone)
	if v.Initialized() {
		t.Error("initialized")
	}
	for range 2 {
		if x, ok := v.Read(); ok {
			t.Errorf("read %v", x)
		}
		if err := v.Uninitialized(); status.CodeOf(err) != status.FailedPrecondition || !strings.Contains(err.Error(), "w") || !strings.Contains(err.Error(), "device X is lost") {
			t.Error(err)
		}
	}
	if gone.released != 1 {
		t.Errorf("released %d times", gone.released)
	}
	if err := v.Assign(row(t, 1)); err != nil {
		t.Fatal(err)
	}
	if err := v.Uninitialized(); strings.Contains(err.Error(), "lost") {
		t.Error(err)
	}
	// A copy that the host has outlives the device.
	again := &far{v: row(t, 2)}
	move(t, v, again)
	v.Read()
	again.lost = gone.lost
	if x, ok := v.Read(); !ok || tensor.Of[float32](&x)[0] != 2 || !v.Initialized() {
		t.Errorf("read %v", x)
	}
}

// Whoever waits for a device's value does so until its context has ended, and keeps nobody
// from the variable meanwhile.
func TestRemoteHeld(t *testing.T) {
	v := NewVariable(NewManager(), "w", tensor.Float)
	slow := &far{v: row(t, 1, 2), held: []func(tensor.Value, error){}}
	move(t, v, slow)
	nothing := func(now, next tensor.Value) (tensor.Value, error) { t.Error("it is called"); return next, nil }
	for name, wait := range map[string]func(ctx context.Context) error{
		"value": func(ctx context.Context) error { _, _, err := v.Acquire(ctx); return err },
		"view": func(ctx context.Context) error {
			return v.View(ctx, func(tensor.Value) error { t.Error("it is called"); return nil })
		},
		"update": func(ctx context.Context) error {
			return v.Update(ctx, func(now tensor.Value) (tensor.Value, error) { return nothing(now, now) })
		},
		"rewrite": func(ctx context.Context) error { return v.Rewrite(ctx, nothing) },
		"all": func(ctx context.Context) error {
			return RewriteAll(ctx, []*Variable{v}, func(_, _ []tensor.Value) error { t.Error("it is called"); return nil })
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := wait(ctx); status.CodeOf(err) != status.Canceled {
			t.Errorf("%s: %v", name, err)
		}
		if !v.Initialized() || slow.fetched != 1 {
			t.Errorf("%s: %+v", name, slow)
		}
	}
	came := make(chan float32)
	for range 2 {
		go func() {
			x, _, err := v.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				came <- 0
				return
			}
			came <- tensor.Of[float32](&x)[0]
		}()
	}
	// What the device had when it was asked is not the value any more: it is asked again.
	other := &far{v: row(t, 3, 4)}
	move(t, v, other)
	slow.held[0](slow.v, nil)
	for range 2 {
		if x := <-came; x != 3 {
			t.Errorf("read %g", x)
		}
	}
	if other.fetched != 1 {
		t.Errorf("%+v", other)
	}
}

// A value that changes whenever it is asked for comes in the end: then those who change it
// wait.
func TestRemoteBusy(t *testing.T) {
	v := NewVariable(NewManager(), "w", tensor.Float)
	var movers sync.WaitGroup
	asked := 0
	var next func() Remote
	next = func() Remote {
		return &busy{far{v: row(t, 1)}, func() {
			if asked++; asked < 20 {
				movers.Go(func() { move(t, v, next()) })
			}
		}}
	}
	move(t, v, next())
	if err := v.Rewrite(t.Context(), func(now, next tensor.Value) (tensor.Value, error) { return now, nil }); err != nil || asked == 0 || asked > patience+1 {
		t.Error(err, asked)
	}
	movers.Wait()
}

// busy is a value that another takes the place of while it is on its way.
type busy struct {
	far
	ask func()
}

func (b *busy) Host(done func(tensor.Value, error)) {
	b.ask()
	go done(b.v, nil)
}
