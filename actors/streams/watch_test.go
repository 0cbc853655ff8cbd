package streams_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/profile"
)

// Whoever watches sees all works that were handed over meanwhile, and none twice at a
// time in one stream; a launch begins after the write that it waits for has ended.
func TestWatch(t *testing.T) {
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		return emulated.New(emulated.Options{Seed: 9}), nil
	}, streams.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var now atomic.Int64
	clock := func() int64 { return now.Add(1) }
	const each, callers = 20, 3
	w := d.Watch(clock)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			other := d.Watch(clock)
			for range each {
				x, err := d.Alloc(t.Context(), 8)
				if err != nil {
					t.Error(err)
					return
				}
				z, err := d.Alloc(t.Context(), 8)
				if err != nil {
					t.Error(err)
					return
				}
				d.Write(context.Background(), x, encode([]uint32{1, 2}))
				d.Launch(mixing(x, x, z, 2))
				d.Read(context.Background(), z, 8, func(b []byte, err error) {
					if err != nil || !slices.Equal(decode(b), []uint32{4, 8}) {
						t.Errorf("%v, %v", b, err)
					}
				})
				x.Release()
				z.Release()
			}
			if got := len(other.Stop(t.Context())); got < 3*each {
				t.Errorf("a watch saw %d works of %d", got, 3*each)
			}
		})
	}
	all.Wait()
	works := w.Stop(t.Context())
	counts, ends := map[string]int{}, map[string]int64{}
	byName := map[string][]profile.Work{}
	for _, x := range works {
		if x.Begin < ends[x.Stream] || x.End < x.Begin || x.Device != d.Attributes().Name {
			t.Fatalf("%+v, after an end at %d", x, ends[x.Stream])
		}
		ends[x.Stream] = x.End
		counts[x.Stream+" "+x.Name]++
		byName[x.Name] = append(byName[x.Name], x)
	}
	for _, what := range []string{stream.HostToDevice.String() + " write", stream.Compute.String() + " mix", stream.DeviceToHost.String() + " read"} {
		if counts[what] != callers*each {
			t.Errorf("%d of %s, want %d", counts[what], what, callers*each)
		}
	}
	for i, x := range byName["mix"] { // the i-th launch was handed over after i writes at least
		if before := byName["write"][i]; x.End < before.Begin {
			t.Errorf("launch %d ended at %d, before write %d began at %d", i, x.End, i, before.Begin)
		}
	}
	d.Write(context.Background(), mustAlloc(t, d), encode([]uint32{1}))
	if more := w.Stop(t.Context()); len(more) != len(works) {
		t.Errorf("%d works after the end, %d before", len(more), len(works))
	}
}

func mustAlloc(t *testing.T, d *streams.Device) *streams.Memory {
	t.Helper()
	m, err := d.Alloc(t.Context(), 8)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
