package main

import (
	"context"
	"fmt"
	"time"

	tf "github.com/troupe-go/troupe"
)

// A solution runs one benchmark in one way.
type solution interface {
	// run runs it with size n and returns the time that it took.
	run(ctx context.Context, n int64) (answer int64, took time.Duration, err error)
	close() error
}

// A column is a way to solve benchmarks.
type column struct {
	name string
	open func(b *benchmark, threads int) (solution, error)
}

// columns are those that need only Go.
var columns = []column{
	engine("actors"), engine("tokens"), engine("messages"), engine("sequential"),
	{"goroutines", func(b *benchmark, _ int) (solution, error) { return program(b.goroutines), nil }},
	library("Proto.Actor", newProtoStage),
	library("Hollywood", newHollywoodStage),
}

// allColumns returns all columns, in the order of the table; TensorFlow runs in that Python.
func allColumns(python string) []column {
	return append(columns[:len(columns):len(columns)], erlang(), tensorflow(python))
}

// engine returns a column of Troupe's.
func engine(name string) column {
	return column{name, func(b *benchmark, threads int) (solution, error) {
		g, n, answer, err := b.build()
		if err != nil {
			return nil, err
		}
		s, err := tf.NewSession(g, &tf.SessionOptions{Engine: name, Threads: threads})
		if err != nil {
			return nil, err
		}
		c, err := s.MakeCallable([]tf.Output{n}, []tf.Output{answer}, nil)
		if err != nil {
			s.Close()
			return nil, err
		}
		return &graphRun{s, c}, nil
	}}
}

// A graphRun is a graph in a session.
type graphRun struct {
	session *tf.Session
	call    *tf.Callable
}

func (r *graphRun) run(ctx context.Context, n int64) (int64, time.Duration, error) {
	size, err := tf.NewTensor(n)
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	out, err := r.call.Call(ctx, size)
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(begin)
	answer, ok := out[0].Value().(int64)
	if !ok {
		return 0, 0, fmt.Errorf("the graph answers a %T", out[0].Value())
	}
	return answer, took, nil
}

func (r *graphRun) close() error { return r.session.Close() }

// A program is one in Go.
type program func(n int64) int64

func (p program) run(_ context.Context, n int64) (int64, time.Duration, error) {
	begin := time.Now()
	answer := p(n)
	return answer, time.Since(begin), nil
}

func (p program) close() error { return nil }

// library returns the column of a library of actors. Stopping a run's actors is part of it.
func library(name string, open func() stage) column {
	return column{name, func(b *benchmark, _ int) (solution, error) {
		return program(func(n int64) int64 {
			s := open()
			defer s.Close()
			return b.actors(s, n)
		}), nil
	}}
}
