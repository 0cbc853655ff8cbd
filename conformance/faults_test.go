package conformance

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A fault is what goes wrong in one run of a node.
type fault struct {
	budget *tensor.Budget
	ctx    context.Context
	fired  func() bool // whether it has gone wrong
	code   status.Code // of the error that follows
}

// outOfMemory returns a fault: the n-th allocation fails.
func outOfMemory(n int64) fault {
	b := tensor.NewFailing(n)
	return fault{b, context.Background(), b.Failed, status.ResourceExhausted}
}

// stopped returns a fault: the step has been cancelled when it is asked for the n-th time.
func stopped(n int64) fault {
	c := &countdown{Context: context.Background()}
	c.left.Store(n)
	return fault{tensor.NewFailing(0), c, func() bool { return c.left.Load() <= 0 }, status.Canceled}
}

// A countdown is cancelled after a number of questions.
type countdown struct {
	context.Context
	left atomic.Int64
}

func (c *countdown) Err() error {
	if c.left.Add(-1) <= 0 {
		return context.Canceled
	}
	return nil
}

// faulty runs a node once with a fault, on its own resources: what was left on the
// account, and what it failed with.
func (g *nodeGraph) faulty(f fault, programs []*nodes.Program) (left int64, err error) {
	log := zerolog.Nop()
	all := &resource.Manager{Budget: f.budget}
	engine := sequential.New(f.budget)
	for i, p := range programs {
		perStep := &resource.Manager{Budget: f.budget}
		step := &kernel.Step{ID: int64(i), Context: f.ctx, Resources: all, PerStep: perStep, Pool: kerneltest.Threads{}, Files: &files.Policy{}, Log: &log}
		err = engine.Run(step, p, nil, make([]tensor.Value, len(p.Fetches())))
		perStep.Clear()
		if err != nil {
			break
		}
	}
	all.Clear()
	return f.budget.Used(), err
}

// programs are those that initialize the variables of a node and run it.
func (g *nodeGraph) programs() ([]*nodes.Program, error) {
	var all []*nodes.Program
	for _, spec := range []compile.Spec{{Targets: g.assigns}, {Fetches: g.fetches, Targets: append(g.assigns[:0:0], g.op)}} {
		if len(spec.Targets) == 0 {
			continue
		}
		p, err := compile.Graph(context.Background(), g.Graph, spec)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// TestFaults lets memory run out at every allocation of every recorded node, and
// cancels it at every question. What follows is that error; nobody panics, and
// nothing stays on the account.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs")
	}
	folder, group, err := open("testdata/nodes.zip")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := nodeRows(folder)
	if err != nil {
		t.Fatal(err)
	}
	// Most of the allocations, or questions, of a row that are tried: the first ones.
	const most = 60
	ops, faults := map[string]int{}, 0
	for i := range rows {
		r := &rows[i]
		if r.Error != "" {
			continue
		}
		g, err := r.graph()
		if err != nil {
			continue // TestNodes tells
		}
		programs, err := g.programs()
		if err != nil {
			continue
		}
		ops[r.Op]++
		for what, inject := range map[string]func(int64) fault{"allocation": outOfMemory, "question": stopped} {
			for n := int64(1); n <= most; n++ {
				f := inject(n)
				left, err := g.faulty(f, programs)
				fired := f.fired()
				where := fmt.Sprintf("%s/%d: %s: %s %d", group, i, r.Op, what, n)
				switch {
				case !fired && err != nil:
					t.Fatalf("%s: it does not run: %v", where, err)
				case panicked(err):
					t.Errorf("%s: %v", where, err)
				case fired && err != nil && status.CodeOf(err) != f.code:
					t.Errorf("%s: %v", where, err)
				case left != 0:
					t.Errorf("%s: %d bytes are left on the account (%v)", where, left, err)
				}
				if !fired {
					break
				}
				faults++
			}
		}
	}
	t.Logf("%d operations, %d faults", len(ops), faults)
	if len(ops) < 480 {
		t.Errorf("rows of %d operations", len(ops))
	}
}
