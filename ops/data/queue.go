package data

import (
	"math"
	"math/rand/v2"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("FIFOQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that returns elements in the order in which they were added, behind a reference.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ, and then elements are dequeued one by one.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("FIFOQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that returns elements in the order in which they were added.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ, and then elements are dequeued one by one.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PaddingFIFOQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue whose elements are filled up to one shape when several are dequeued, behind a reference.

component_types: The types of an element's components.
shapes: Their shapes, in which dimensions may be unknown.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PaddingFIFOQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue whose elements are filled up to one shape when several are dequeued.

component_types: The types of an element's components.
shapes: Their shapes, in which dimensions may be unknown.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PriorityQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 0 = []").
		Attr("shapes: list(shape) >= 0").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that returns the element of the smallest priority, behind a reference.

component_types: The types of an element's components after the first, which is the priority, an int64.
shapes: The shapes of these components.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("PriorityQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 0 = []").
		Attr("shapes: list(shape) >= 0").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that returns the element of the smallest priority.

component_types: The types of an element's components after the first, which is the priority, an int64.
shapes: The shapes of these components.
capacity: The most elements it holds; negative for any number.`)
	registry.Define("RandomShuffleQueue").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("min_after_dequeue: int = 0").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that returns elements in random order, behind a reference.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ.
capacity: The most elements it holds; negative for any number.
min_after_dequeue: How many elements must be left after one is taken, until the queue is closed.`)
	registry.Define("RandomShuffleQueueV2").
		Output("handle: resource").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("min_after_dequeue: int = 0").
		Attr("seed: int = 0").
		Attr("seed2: int = 0").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a queue that returns elements in random order.

component_types: The types of an element's components.
shapes: Their shapes; none if they may differ.
capacity: The most elements it holds; negative for any number.
min_after_dequeue: How many elements must be left after one is taken, until the queue is closed.`)
	registry.Define("FakeQueue").
		Input("resource: resource").Output("handle: Ref(string)").
		Leaves("resource").
		Stateful().
		Doc("Turns the handle of a queue into a reference.")

	kernel.ForAll(newQueue(fifoQueue), "FIFOQueue", "FIFOQueueV2")
	kernel.ForAll(newQueue(paddingQueue), "PaddingFIFOQueue", "PaddingFIFOQueueV2")
	kernel.ForAll(newQueue(priorityQueue), "PriorityQueue", "PriorityQueueV2")
	kernel.ForAll(newQueue(shuffleQueue), "RandomShuffleQueue", "RandomShuffleQueueV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(fakeQueue), nil }, "FakeQueue")
}

// The kinds of queues, in the words of messages.
const (
	fifoQueue     = "FIFOQueue"
	paddingQueue  = "PaddingFIFOQueue"
	priorityQueue = "PriorityQueue"
	shuffleQueue  = "RandomShuffleQueue"
)

// A queue puts out the handle of its queue.
type queue struct {
	options  resource.QueueOptions
	newOrder func() resource.Order
	label    label
	old      bool // the handle is a reference
	device   string
	found    resource.Cache[queueHandle]
}

// A queueHandle is a queue in the session's resources, and its token.
type queueHandle struct {
	*resource.Queue
	token tensor.Value
}

//go:noinline
func newQueue(kind string) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		k := &queue{label: labelOf(c), old: c.Outputs[0].IsRef(), device: c.Device}
		o := &k.options
		o.Kind, o.Types, o.Capacity = kind, c.Types("component_types"), -1
		if capacity := c.Int("capacity"); capacity >= 0 {
			o.Capacity = int(min(capacity, math.MaxInt32))
		}
		shapes := c.Shapes("shapes")
		if len(shapes) != len(o.Types) && (len(shapes) > 0 || kind == paddingQueue) {
			return nil, c.Errorf("Shapes must be provided for all components, but received %d dtypes and %d shapes.", len(o.Types), len(shapes))
		}
		if kind == priorityQueue {
			o.Types = append([]tensor.DType{tensor.Int64}, o.Types...)
			if len(shapes) > 0 || len(o.Types) == 1 {
				o.Shapes = append(o.Shapes, shape.Scalar)
			}
		}
		for _, s := range shapes {
			if err := shape.CheckAttr(s); err != nil {
				return nil, err
			}
			component := shape.FromAttr(s)
			if kind == paddingQueue && !component.Known() || kind != paddingQueue && !component.Full() {
				return nil, c.Errorf("Shape %v is not fully defined", component)
			}
			o.Shapes = append(o.Shapes, component)
		}
		n := len(o.Types)
		k.newOrder = func() resource.Order { return resource.NewFIFO(n) }
		switch kind {
		case priorityQueue:
			k.newOrder = func() resource.Order { return resource.NewPriority(n) }
		case shuffleQueue:
			if err := k.shuffle(c); err != nil {
				return nil, err
			}
		}
		return k, nil
	}
}

// shuffle makes k a queue in random order.
func (k *queue) shuffle(c *kernel.Construction) error {
	behind := c.Int("min_after_dequeue")
	switch {
	case behind < 0:
		return c.Errorf("min_after_dequeue %d must be >= 0", behind)
	case k.options.Capacity >= 0 && behind >= int64(k.options.Capacity):
		return c.Errorf("min_after_dequeue %d must be < capacity %d", behind, k.options.Capacity)
	}
	k.options.MinAfterDequeue = int(min(behind, math.MaxInt32))
	seed1, seed2 := uint64(c.Int("seed")), uint64(c.Int("seed2"))
	n := len(k.options.Types)
	k.newOrder = func() resource.Order {
		if seed1 == 0 && seed2 == 0 {
			return resource.NewShuffle(n, rand.Uint64(), rand.Uint64())
		}
		return resource.NewShuffle(n, seed1, seed2)
	}
	return nil
}

func (k *queue) Run(ctx *kernel.Context, _, out []tensor.Value) error {
	m := k.label.manager(ctx.Step)
	h, err := k.found.Named(m, k.label.container, k.label.name, func() (queueHandle, error) {
		o := k.options
		o.Name, o.Order = k.label.words(m), k.newOrder()
		q := resource.NewQueue(m, o)
		return queueHandle{q, k.token(q)}, nil
	})
	if err != nil {
		return err
	}
	if err := k.matches(h.Queue); err != nil {
		return err
	}
	out[0] = h.token
	if h.token.IsRef() != k.old { // nodes of both forms share the queue
		out[0] = k.token(h.Queue)
	}
	return nil
}

func (k *queue) token(q *resource.Queue) tensor.Value {
	if k.old {
		return newOldHandle(k.label.container, q.Name, q)
	}
	return newHandle(k.device, k.label.container, k.label.name, "Queue", q)
}

// matches reports whether the queue of k's name is what k declares.
func (k *queue) matches(q *resource.Queue) error {
	if q.Kind != k.options.Kind {
		return status.Invalid("Expected %s, found %s", k.options.Kind, q.Kind)
	}
	differs := func(what string, have, want any) error {
		return status.Invalid("Shared queue '%s' has %s %v but requested %s %v", q.Name, what, have, was(what), want)
	}
	switch have, want := &q.QueueOptions, &k.options; {
	case have.Capacity != want.Capacity:
		return differs("capacity", capacity(have), capacity(want))
	case typeNames(have.Types) != typeNames(want.Types):
		return differs("component types", typeNames(have.Types), typeNames(want.Types))
	case shapeNames(have.Shapes) != shapeNames(want.Shapes):
		return differs("component shapes", shapeNames(have.Shapes), shapeNames(want.Shapes))
	case have.MinAfterDequeue != want.MinAfterDequeue:
		return differs("min_after_dequeue", have.MinAfterDequeue, want.MinAfterDequeue)
	}
	return nil
}

func was(what string) string {
	if strings.HasSuffix(what, "s") {
		return what + " were"
	}
	return what + " was"
}

// capacity returns the capacity in the words of messages.
func capacity(o *resource.QueueOptions) int {
	if o.Capacity < 0 {
		return math.MaxInt32
	}
	return o.Capacity
}

func typeNames(types []tensor.DType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

func shapeNames(shapes []shape.Shape) string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = s.String()
	}
	return "[" + strings.Join(names, ",") + "]"
}

func fakeQueue(_ *kernel.Context, in, out []tensor.Value) error {
	h, err := resource.HandleOf(&in[0])
	if err != nil {
		return err
	}
	q, err := held[*resource.Queue](&in[0])
	if err != nil {
		return err
	}
	out[0] = newOldHandle(h.Container, q.Name, q)
	return nil
}
