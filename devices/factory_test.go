package devices

import (
	"errors"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/status"
)

// idle is a device that only counts how often it is closed.
type idle struct {
	attributes Attributes
	closed     *int
}

func (d idle) Attributes() Attributes  { return d.attributes }
func (d idle) Publish(t Task, _ int64) { t.Run(0) }
func (d idle) Help() bool              { return false }
func (d idle) Close() error            { *d.closed++; return nil }

func TestNew(t *testing.T) {
	defer func(saved map[string]Factory) { factories = saved }(factories)
	factories = map[string]Factory{}

	closed, broken := 0, errors.New("no such driver")
	fail := false
	Register("CPU", func(o Options) ([]Device, error) {
		return []Device{idle{o.Describe("CPU", 0, "test"), &closed}}, nil
	})
	Register("ACCEL", func(o Options) ([]Device, error) {
		var all []Device
		for i := range o.Count["ACCEL"] {
			all = append(all, idle{o.Describe("ACCEL", i, "test"), &closed})
		}
		if fail {
			return all, broken
		}
		return all, nil
	})
	if got := Types(); !slices.Equal(got, []string{"ACCEL", "CPU"}) {
		t.Errorf("Types() = %v", got)
	}

	all, err := New(Options{Count: map[string]int{"ACCEL": 2}, MemoryLimit: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	seen := map[uint64]bool{0: true}
	for _, d := range all {
		a := d.Attributes()
		names = append(names, a.Name)
		if seen[a.Incarnation] || a.MemoryLimit != 1<<20 || a.Spec.String() != a.Name {
			t.Errorf("attributes %+v", a)
		}
		seen[a.Incarnation] = true
	}
	const process = "/job:localhost/replica:0/task:0/device:"
	if want := []string{CPU0, process + "ACCEL:0", process + "ACCEL:1"}; !slices.Equal(names, want) {
		t.Errorf("devices %v, want %v", names, want)
	}

	if _, err := New(Options{Count: map[string]int{"TPU": 1}}); status.CodeOf(err) != status.NotFound {
		t.Errorf("an unknown type: %v", err)
	}
	fail = true
	if all, err := New(Options{Count: map[string]int{"ACCEL": 1}}); !errors.Is(err, broken) || all != nil || closed != 2 {
		t.Errorf("a factory that fails: %v, %v, %d closed", all, err, closed)
	}
}

func TestRegisterPanics(t *testing.T) {
	defer func(saved map[string]Factory) { factories = saved }(factories)
	none := func(Options) ([]Device, error) { return nil, nil }
	factories = map[string]Factory{"CPU": none}
	for _, c := range []struct {
		kind string
		f    Factory
	}{{"CPU", none}, {"", none}, {"a/b", none}, {"ACCEL", nil}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Register(%q) did not panic", c.kind)
				}
			}()
			Register(c.kind, c.f)
		}()
	}
}
