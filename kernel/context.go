package kernel

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Context is what a running kernel may use. A step has one for the
// goroutine that drives it and one for its kernels on the pool.
type Context struct {
	alone alone

	Step  *Step
	Arena *tensor.Arena
	// Lock guards Arena where several kernels share this context; nil where
	// one goroutine owns it.
	Lock *sync.Mutex
	// Keep is the engine's: bit i says that input i must not be reused, as
	// other code will read it. Where Lock is set it is all that counts, for
	// the tokens that hold a value are counted by the step's driver alone.
	Keep uint64
	// Slots are the engine's, for a kernel that it runs again and again on one
	// goroutine: the tensors that the kernel allocates come from them, the first
	// from the first.
	Slots []tensor.BufferSlot
	// Undo is set by a kernel that may wait, before it is done, to what it has taken from
	// a resource for its outputs, such as an element of a queue. A step accepts outputs
	// while it has not failed and its context has not ended; those that come later are
	// dropped, and the engine calls Return, which puts back what was taken.
	Undo interface{ Return() }
	// Driver is the engine's: the step, for kernels on the goroutine that drives it.
	Driver any

	// Tag and Dead are the engine's, for nodes that send and receive: the iteration that
	// they act in, "" in the root frame, and whether an input is dead.
	Tag  string
	Dead bool

	reserved int64 // see Reserve
}

// A Step is what all kernels of one step share.
type Step struct {
	ID      int64
	Context context.Context // ends when the step is cancelled, fails, or passes its deadline
	// Resources are the session's; PerStep those that die with the step
	// (TensorArrays, stacks).
	Resources *resource.Manager
	PerStep   *resource.Manager
	// State has what nodes keep for themselves from step to step, such as the
	// streams of random operations; nil: Resources has. Functions that an iterator
	// calls begin again with each iterator, so it has one of its own.
	State *resource.Manager
	Pool  Pool          // shares out ranges; never nil
	Files *files.Policy // which files kernels may open, through it alone
	// Maps maps files that kernels would read; nil: files are read. The goroutines that run
	// kernels turn faults into panics, see [files.Mapping].
	Maps  *files.Maps
	Log   *zerolog.Logger
	Seed  int64 // the session's seed, 0 if it has none
	Depth int   // how many calls of functions are open around it
	// Functions is what kernels call functions with; nil outside a session.
	Functions Functions
	// Accelerators are the devices with memory of their own, by full name.
	Accelerators map[string]devices.Streams
	// Works are the commands that its kernels have enqueued; nil outside a session.
	Works *devices.Commands
	// Rendezvous is where the pieces of a program meet that run as separate steps; nil: there
	// are none.
	Rendezvous resource.Rendezvous
	// Transfers counts what goes from device to device; nil: nothing is counted.
	Transfers *profile.Transfers
	// Profile records what nodes cost; nil: nothing is recorded.
	Profile *profile.Recorder
	// Record is where the step is recorded, node by node; nil: it is not.
	Record *recording.Place
	// Spare are tensors for the step's arena, which takes those that it can use and
	// leaves nil in their place; see [tensor.Tensor.Reclaim].
	Spare []*tensor.Tensor
}

// States returns where nodes keep what is theirs.
func (s *Step) States() *resource.Manager {
	if s.State != nil {
		return s.State
	}
	return s.Resources
}

// In returns where the resources of a container are.
func (s *Step) In(container string) *resource.Manager {
	if container == resource.Private {
		return s.States()
	}
	return s.Resources
}

// A Pool shares a range of work among the CPU device's workers.
type Pool interface {
	// Parallel calls f for consecutive ranges that cover [0, n), each of at
	// least grain but the last, possibly at the same time, and returns when
	// all have returned. The ranges do not depend on the number of workers.
	Parallel(n, grain int, f func(lo, hi int))
	// Workers is how many ranges may run at the same time.
	Workers() int
	// Expect says that the caller is about to share out about so much work, as one
	// worker computes it, in ranges that take long: sleeping workers are woken now, not
	// when the first range has shown what the others cost.
	Expect(work time.Duration)
}

// Err returns the reason to stop early, nil while there is none. Kernels that run
// for more than a millisecond ask now and then; asking takes some nanoseconds.
func (c *Context) Err() error {
	if err := status.FromContext(c.Step.Context); err != nil {
		return err
	}
	return nil
}

// Ask panics if the step has ended, with what becomes the kernel's error, as Parallel
// does: for what is asked deep within an algorithm. What has to be given back is given
// back by defer.
func (c *Context) Ask() { Must(c.Err()) }

// Must panics if err is not nil, with what makes it the kernel's error: for what fails deep
// within an algorithm, as [Context.Ask].
func Must(err error) {
	if err != nil {
		panic(interrupted{err})
	}
}

// Ranges are consecutive ranges that cover [0, n), of so many each but the last. It
// asks between them, see [Context.Ask]: so a loop over much work of one goroutine is
// written as one over ranges of some 100 µs.
func (c *Context) Ranges(n, each int) iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for lo := 0; lo < n; lo += each {
			if lo > 0 {
				c.Ask()
			}
			if !yield(lo, min(n-lo, each)+lo) {
				return
			}
		}
	}
}

// Parallel shares out [0, n) in ranges of at least grain; see [Pool]. It does not
// return if the step has ended before all of a large range is done: it panics with what
// becomes the kernel's error, see [Panicked]. So a kernel that shares out all of its
// work need not ask.
func (c *Context) Parallel(n, grain int, f func(lo, hi int)) {
	if n <= grain {
		if n > 0 {
			f(0, n)
		}
		return
	}
	if n/askAfter > grain {
		f = c.asking(f)
	}
	c.alone.begin()
	defer c.alone.end()
	c.Step.Pool.Parallel(n, grain, f)
}

// askAfter is how many grains of work, of some 10 to 50 µs each, are done without
// asking whether anybody waits for them.
const askAfter = 8

// Pool returns the step's pool for algorithms that share out work themselves: once the step
// has ended, ranges are left out. What they computed counts if Err says nothing
// afterwards.
func (c *Context) Pool() Pool { return (*leaving)(c) }

type leaving Context

func (l *leaving) Parallel(n, grain int, f func(lo, hi int)) {
	c := (*Context)(l)
	c.alone.begin()
	defer c.alone.end()
	c.Step.Pool.Parallel(n, grain, func(lo, hi int) {
		if c.Err() == nil {
			f(lo, hi)
		}
	})
}

func (l *leaving) Workers() int { return l.Step.Pool.Workers() }

func (l *leaving) Expect(work time.Duration) { l.Step.Pool.Expect(work) }

// asking is f, unless the step has ended.
func (c *Context) asking(f func(lo, hi int)) func(lo, hi int) {
	return func(lo, hi int) {
		c.Ask()
		f(lo, hi)
	}
}

// Alloc makes an output of dtype dt: undefined elements for numbers. It fails
// if the size is impossible or passes the session's memory limit. It is not for functions
// that Parallel calls, as is nothing that takes or gives back memory: they have a [SharedScratch].
func (c *Context) Alloc(dt tensor.DType, dims []int64) (tensor.Value, error) {
	c.alone.none("memory is taken")
	if homes := c.Slots; len(homes) > 0 && len(dims) > 0 {
		c.Slots = homes[1:]
		return homes[0].Take(c.Arena, dt, dims)
	}
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	return c.Arena.Alloc(dt, dims)
}

// AllocExact is Alloc for what outlives the step, see [tensor.Arena.AllocExact].
func (c *Context) AllocExact(dt tensor.DType, dims []int64) (tensor.Value, error) {
	c.alone.none("memory is taken")
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	return c.Arena.AllocExact(dt, dims)
}

// AllocZeroed is Alloc with every element zero.
func (c *Context) AllocZeroed(dt tensor.DType, dims []int64) (tensor.Value, error) {
	c.alone.none("memory is taken")
	if c.Lock != nil {
		c.Lock.Lock()
		defer c.Lock.Unlock()
	}
	if n, err := tensor.NumElements(dt, dims); err != nil || dt.HasPointers() || n*dt.Size() <= clearedAtOnce {
		return c.Arena.AllocZeroed(dt, dims)
	}
	v, err := c.Arena.Alloc(dt, dims)
	if err != nil {
		return v, err
	}
	for rest := tensor.Bytes(&v); len(rest) > 0; rest = rest[min(len(rest), clearedAtOnce):] {
		if err := c.Err(); err != nil {
			c.Arena.Reclaim(v)
			return tensor.Value{}, err
		}
		clear(rest[:min(len(rest), clearedAtOnce)])
	}
	return v, nil
}

// clearedAtOnce is how many bytes are cleared without asking.
const clearedAtOnce = 1 << 20

// Reuse returns input i for the kernel to write into if it has no other holder, else
// it returns false and in is unchanged. The input is moved: in[i] is zero
// afterwards, and the value must become an output (its shape may be changed
// with SetDims). Elements that the kernel still reads as input i are those of
// the value it got.
func (c *Context) Reuse(in []tensor.Value, i int) (tensor.Value, bool) {
	v := in[i]
	if i >= 64 || c.Keep&(1<<uint(i)) != 0 {
		return tensor.Value{}, false
	}
	if c.Lock == nil {
		if !v.Sole() && !v.SoleView() {
			return tensor.Value{}, false
		}
	} else if v.Shared() { // as a borrowed value is
		return tensor.Value{}, false
	}
	v.Retake()
	in[i] = tensor.Value{}
	return v, true
}

// ReuseOrAlloc returns an output of dtype dt and shape dims: input i's buffer if
// the kernel may have it and it has that dtype and shape, else a fresh one.
func (c *Context) ReuseOrAlloc(in []tensor.Value, i int, dt tensor.DType, dims []int64) (tensor.Value, error) {
	if v := in[i]; v.DType() == dt && equalDims(v.Dims(), dims) {
		if w, ok := c.Reuse(in, i); ok {
			return w, nil
		}
	}
	return c.Alloc(dt, dims)
}

func equalDims(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i, d := range a {
		if d != b[i] {
			return false
		}
	}
	return true
}
