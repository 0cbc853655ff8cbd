package state

import (
	"context"
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(newMutexKernel, "MutexV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return lockKernel{}, nil }, "MutexLock")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(unlock), nil }, "ConsumeMutexLock")
}

// A mutex is a lock that the steps of a session share. Who waits for it stands in
// line, and is called back.
type mutex struct {
	mu    sync.Mutex
	taken bool
	line  []*claim
}

// A claim is somebody who waits. The mutex's lock guards it.
type claim struct {
	done func(error)
	stop func() bool // stops watching the context
}

// lock calls done once the mutex is the caller's, or the context has ended.
func (m *mutex) lock(ctx context.Context, done func(error)) {
	m.mu.Lock()
	if !m.taken {
		m.taken = true
		m.mu.Unlock()
		done(nil)
		return
	}
	c := &claim{done: done}
	m.line = append(m.line, c)
	c.stop = context.AfterFunc(ctx, func() {
		if m.leave(c) {
			done(status.FromContext(ctx))
		}
	})
	m.mu.Unlock()
}

// leave takes c out of the line; false if it is not in it any more.
func (m *mutex) leave(c *claim) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, x := range m.line {
		if x == c {
			m.line = append(m.line[:i], m.line[i+1:]...)
			return true
		}
	}
	return false
}

// unlock gives the mutex to the first in line.
func (m *mutex) unlock() {
	m.mu.Lock()
	if len(m.line) == 0 {
		m.taken = false
		m.mu.Unlock()
		return
	}
	next := m.line[0]
	m.line = m.line[1:]
	next.stop()
	m.mu.Unlock()
	next.done(nil)
}

// A hold is what a variant of MutexLock holds: the mutex is free again once the
// hold has been closed, by ConsumeMutexLock or at the latest at the end of the
// step.
type hold struct {
	m    *mutex
	once sync.Once
}

// Close lets the mutex go; calls after the first do nothing.
func (h *hold) Close() { h.once.Do(h.m.unlock) }

// newMutexKernel makes the kernel of MutexV2.
func newMutexKernel(c *kernel.Construction) (kernel.Kernel, error) {
	device, container, name := c.Device, c.Container(), c.Str("shared_name")
	if name == "" {
		name = c.Node
	}
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		m, err := resource.LookupOrCreate(ctx.Step.Resources, container, name, func() (*mutex, error) { return &mutex{}, nil })
		if err != nil {
			return err
		}
		out[0] = tensor.Scalar(&tensor.Handle{Device: device, Container: container, Name: name, Type: "Mutex", Value: m})
		return nil
	}), nil
}

// A lockKernel is the kernel of MutexLock.
type lockKernel struct{}

// Start waits for the mutex without a goroutine.
func (lockKernel) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	m, err := resource.Held[*mutex](&in[0])
	if err != nil {
		done(err)
		return
	}
	m.lock(ctx.Step.Context, func(err error) {
		if err != nil {
			done(err)
			return
		}
		h := &hold{m: m}
		name := fmt.Sprintf("_mutex_lock_%d", ctx.Step.PerStep.NextID())
		_, err = resource.LookupOrCreate(ctx.Step.PerStep, "", name, func() (*hold, error) { return h, nil })
		out[0] = tensor.Scalar(&tensor.Object{Value: h})
		done(err)
	})
}

// Run waits for what Start starts.
func (k lockKernel) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	result := make(chan error, 1)
	k.Start(ctx, in, out, func(err error) { result <- err })
	return <-result
}

// unlock returns the kernel of ConsumeMutexLock.
func unlock(_ *kernel.Context, in, _ []tensor.Value) error {
	if in[0].Rank() == 0 {
		if o := tensor.At0[*tensor.Object](&in[0]); o != nil {
			if h, ok := o.Value.(*hold); ok {
				h.Close()
				return nil
			}
		}
	}
	return status.Invalid("Expected input to contain a SharedLockReleaser, got a variant of shape %s", tensor.FormatDims(in[0].Dims()))
}
