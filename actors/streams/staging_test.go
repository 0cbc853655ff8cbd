package streams_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/status"
)

// A released driver says whether it was closed while its host buffers were being filled.
type released struct {
	devices.Accelerator
	filling chan struct{}
	closed  atomic.Bool
	during  atomic.Bool
}

func (r *released) AllocHost(n int64) (devices.HostBuffer, error) {
	b, err := r.Accelerator.AllocHost(n)
	return lingering{b, r}, err
}

func (r *released) Close() error {
	r.closed.Store(true)
	return r.Accelerator.Close()
}

// A lingering host buffer takes its time to be filled.
type lingering struct {
	devices.HostBuffer
	of *released
}

func (l lingering) Bytes() []byte {
	close(l.of.filling)
	for range 100_000 {
		if runtime.Gosched(); l.of.closed.Load() {
			l.of.during.Store(true)
			break
		}
	}
	return l.HostBuffer.Bytes()
}

// A device that ends while a write fills a host buffer keeps the buffer until the write has
// returned.
func TestWriteOutlivesItsBuffer(t *testing.T) {
	r := &released{filling: make(chan struct{})}
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		r.Accelerator = emulated.New(emulated.Options{})
		return r, nil
	}, streams.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Alloc(t.Context(), 64)
	if err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error)
	go func() { wrote <- d.Write(t.Context(), m, make([]byte, 64)) }()
	<-r.filling
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := <-wrote; status.CodeOf(err) != status.Unavailable {
		t.Errorf("a write to a device that ended meanwhile: %v", err)
	}
	if !r.closed.Load() || r.during.Load() {
		t.Error("the driver was closed while a host buffer was filled")
	}
}
