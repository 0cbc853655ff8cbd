package programs_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/messages"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/logging"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/tensor"
)

// An engine is one that programs are judged on, with an account of its own.
type engine struct {
	nodes.Engine
	label  string
	budget *tensor.Budget
	pool   kernel.Pool
	close  func()
}

// memoryLimit is more than any program needs.
const memoryLimit = 1 << 30

// engineOf makes the engine of that name, such as "actors/4", with a limit in bytes.
func engineOf(label string, limit int64) (*engine, error) {
	e := &engine{label: label, budget: tensor.NewBudget(limit), pool: kerneltest.Serial{}, close: func() {}}
	name, threads, _ := strings.Cut(label, "/")
	cfg := actors.Config{Budget: e.budget}
	if threads != "" {
		n, err := strconv.Atoi(threads)
		if err != nil {
			return nil, err
		}
		pool := cpu.NewPool(cpu.Options{Threads: n})
		e.pool, e.close, cfg.Pool = pool, pool.Close, pool
	}
	kind, seed, _ := strings.Cut(name, ":")
	switch kind {
	case "actors":
		cfg.NoWait = seed == "-wait"
		e.Engine = actors.New(cfg)
	case "bands":
		e.Engine = &banding{budget: e.budget}
	case "tokens":
		cfg.Tokens = true
		e.Engine = actors.New(cfg)
	case "messages":
		e.Engine = messages.New(cfg)
		if seed != "" {
			n, err := strconv.ParseUint(seed, 10, 64)
			if err != nil {
				return nil, err
			}
			e.Engine = messages.Seeded(n, cfg)
		}
	case "sequential":
		e.Engine = sequential.New(e.budget)
	case "seeded":
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return nil, err
		}
		e.Engine = sequential.Seeded(n, e.budget)
	default:
		return nil, fmt.Errorf("no engine %q", label)
	}
	return e, nil
}

// A banding engine runs units and shares out everything in them that it can.
type banding struct{ budget *tensor.Budget }

func (*banding) Name() string { return "bands" }
func (*banding) Close() error { return nil }

// Run drives one step.
func (e *banding) Run(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	outer := shared.Context
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	shared.Context = ctx
	defer func() { shared.Context = outer }()
	var inbox nodes.Inbox
	s := p.Begin(shared, feeds, nodes.Options{Budget: e.budget, Units: true, Eager: true, Clock: func() int64 { return 0 }})
	for {
		a := s.Advance()
		if s.Err() != nil {
			cancel()
		}
		switch {
		case a == nil && s.Running() == 0:
			return s.End(fetched)
		case a == nil:
			<-inbox.Bell()
			for _, c := range inbox.Take(nil) {
				s.Complete(c.Activation, c.Err)
			}
		case a.Calls():
			go func() { inbox.Put(a, a.Play(e)) }()
		case a.Async():
			a.Start(func(err error) { inbox.Put(a, err) })
		default:
			s.Complete(a, a.Run())
		}
	}
}

type failer interface{ Fatal(...any) }

// engines makes engines from a list of names; end closes them.
func engines(t failer, list string, limit int64) (all []*engine, end func()) {
	for _, label := range strings.Split(list, ",") {
		e, err := engineOf(label, limit)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all, func() {
		for _, e := range all {
			e.Close()
			e.close()
		}
	}
}
