package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// The measuring protocol: samples of runs that take sampleTime together, for
// at least sampleFor and at least fewestSamples.
const (
	sampleTime    = 10 * time.Millisecond
	sampleFor     = time.Second
	fewestSamples = 5
	mostSamples   = 400
)

// A clock measures from when it was started.
type clock time.Time

func startClock() clock { return clock(time.Now()) }

func (c clock) ms() float64 { return float64(time.Since(time.Time(c))) / 1e6 }

// A bench is one graph ready to be run.
type bench struct {
	ctx      context.Context
	session  *troupe.Session
	viaRun   bool
	feeds    []troupe.Output
	make     []func() (*troupe.Tensor, error) // what is fed, for each caller
	fetches  []troupe.Output
	targets  []*troupe.Operation
	callable *troupe.Callable
}

func newBench(ctx context.Context, sess *troupe.Session, g *troupe.Graph, row benchRow, viaRun bool) (*bench, error) {
	b := &bench{ctx: ctx, session: sess, viaRun: viaRun}
	for _, name := range sorted.Keys(row.Feeds) {
		o, err := findOutput(g, name)
		if err != nil {
			return nil, err
		}
		b.feeds = append(b.feeds, o)
		b.make = append(b.make, row.Feeds[name].tensor)
	}
	if strings.Contains(row.Fetch, ":") {
		o, err := findOutput(g, row.Fetch)
		b.fetches = []troupe.Output{o}
		return b, err
	}
	op, err := findOperation(g, row.Fetch)
	b.targets = []*troupe.Operation{op}
	return b, err
}

// prepare makes the callable; it belongs to the first run.
func (b *bench) prepare() (err error) {
	if !b.viaRun {
		b.callable, err = b.session.MakeCallable(b.feeds, b.fetches, b.targets)
	}
	return err
}

// newCaller makes feeds of its own and gives a function that runs n times.
func (b *bench) newCaller() func(n int) error {
	feeds := make([]*troupe.Tensor, len(b.feeds))
	byOutput := map[troupe.Output]*troupe.Tensor{}
	for i, made := range b.make {
		t, err := made()
		if err != nil {
			return func(int) error { return err }
		}
		feeds[i], byOutput[b.feeds[i]] = t, t
	}
	if b.viaRun {
		return func(n int) error {
			for range n {
				fetched, err := b.session.RunContext(b.ctx, byOutput, b.fetches, b.targets)
				if err != nil {
					return err
				}
				for _, t := range fetched {
					t.Release()
				}
			}
			return nil
		}
	}
	fetched := make([]*troupe.Tensor, len(b.fetches))
	return func(n int) error {
		for range n {
			if err := b.callable.RunInto(b.ctx, fetched, feeds...); err != nil {
				return err
			}
		}
		return nil
	}
}

// sample runs from several callers at once and answers the nanoseconds that a
// run took in each sample, in ascending order.
func (b *bench) sample(callers int) ([]float64, error) {
	crew := hire(b, callers)
	defer crew.dismiss()
	if _, err := crew.run(1); err != nil {
		return nil, err
	}
	once, err := crew.run(3)
	if err != nil {
		return nil, err
	}
	runs := max(1, int(float64(sampleTime)/once/float64(callers)))
	var times []float64
	for end := time.Now().Add(sampleFor); len(times) < fewestSamples || time.Now().Before(end) && len(times) < mostSamples; {
		t, err := crew.run(runs)
		if err != nil {
			return nil, err
		}
		times = append(times, t)
	}
	sort.Float64s(times)
	return times, nil
}

// A crew is callers that keep their goroutines and feeds from sample to sample.
type crew struct {
	alone func(n int) error // with one caller, run on the measuring goroutine
	start []chan int
	done  chan error
}

func hire(b *bench, n int) *crew {
	if n == 1 {
		return &crew{alone: b.newCaller()}
	}
	c := &crew{start: make([]chan int, n), done: make(chan error, n)}
	for i := range c.start {
		c.start[i] = make(chan int)
		work, start := b.newCaller(), c.start[i]
		go func() {
			for runs := range start {
				c.done <- work(runs)
			}
		}()
	}
	return c
}

func (c *crew) dismiss() {
	for _, start := range c.start {
		close(start)
	}
}

// run has every caller run n times and answers the nanoseconds of a run, of
// all callers together.
func (c *crew) run(n int) (float64, error) {
	begin := time.Now()
	if c.alone != nil {
		err := c.alone(n)
		return float64(time.Since(begin)) / float64(n), err
	}
	for _, start := range c.start {
		start <- n
	}
	var errs []error
	for range c.start {
		errs = append(errs, <-c.done)
	}
	took := time.Since(begin)
	return float64(took) / float64(n) / float64(len(c.start)), errors.Join(errs...)
}

// tensor makes the tensor to feed.
func (f benchFeed) tensor() (*troupe.Tensor, error) {
	dt, ok := tensor.ParseDType(f.DType)
	if !ok {
		return nil, fmt.Errorf("unknown dtype %q", f.DType)
	}
	var element func(i int) float64
	if bytes.Equal(f.Value, []byte(`"ramp"`)) {
		element = func(i int) float64 { return float64(i%97)/97 - 0.5 }
	} else {
		var v float64
		if err := json.Unmarshal(f.Value, &v); err != nil {
			return nil, err
		}
		element = func(int) float64 { return v }
	}
	switch dt {
	case tensor.Float:
		return filled(f.Shape, func(i int) float32 { return float32(element(i)) })
	case tensor.Double:
		return filled(f.Shape, element)
	case tensor.Int32:
		return filled(f.Shape, func(i int) int32 { return int32(element(i)) })
	case tensor.Int64:
		return filled(f.Shape, func(i int) int64 { return int64(element(i)) })
	}
	return nil, fmt.Errorf("feeds of dtype %v cannot be made", dt)
}

func filled[T troupe.Element](shape []int64, element func(i int) T) (*troupe.Tensor, error) {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	data := make([]T, n)
	for i := range data {
		data[i] = element(i)
	}
	return troupe.FromSlice(data, shape...)
}
