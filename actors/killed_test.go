package actors_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var kills = flag.Int("kills", 900, "run `N` steps in TestActorsAreKilled")

// TestSlow passes a number on, when others have had their turn.
func init() {
	registry.Define("TestSlow").Input("x: int32").Output("y: int32").Stateful()
	shape.Register(func(c *shape.Context) error { c.SetOutput(0, c.Input(0)); return nil }, "TestSlow")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			for range 10 {
				runtime.Gosched()
			}
			out[0] = in[0]
			return nil
		}), nil
	}, "TestSlow")
}

// counting counts to n.
func counting(t *testing.T, n int) *nodes.Program {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, fmt.Sprintf(`
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
most = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: %d>}
enter = Enter(zero) {frame_name="loop"}
last = Enter(most) {frame_name="loop", is_constant=true}
merge = Merge(enter, next)
less = Less(merge, last)
cond = LoopCond(less)
switch = Switch(merge, cond)
one = Const(^switch) {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
slow = TestSlow(switch:1)
add = AddV2(slow, one)
next = NextIteration(add)
exit = Exit(switch)
`, n)); err != nil {
		t.Fatal(err)
	}
	p, err := compile.Graph(context.Background(), g, compile.Spec{Fetches: []graph.Output{g.Operation("exit").Output(0)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Steps, their nodes and the session's actors are stopped, poisoned, aborted, asked, watched
// and sent messages at random while several callers run steps. A step succeeds or says that
// it was aborted, and when nobody kills any more all succeed. Nothing is left on the account.
func TestActorsAreKilled(t *testing.T) {
	root := actors.System().Root
	for _, tokens := range []bool{false, true} {
		pool := cpu.NewPool(cpu.Options{Threads: 3})
		budget := tensor.NewBudget(1 << 20)
		e := actors.New(actors.Config{Pool: pool, Budget: budget, Tokens: tokens})
		p := counting(t, 10)
		one := func() (tensor.Value, error) {
			fetched := make([]tensor.Value, 1)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			m := resource.NewManager()
			err := e.Run(&kernel.Step{Context: ctx, Resources: m, PerStep: m, Pool: kerneltest.Serial{}}, p, nil, fetched)
			return fetched[0], err
		}
		watcher := root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
			if m, ok := c.Message().(*actor.PID); ok {
				c.Watch(m)
			}
		}))
		stop := make(chan struct{})
		var running, killing sync.WaitGroup
		var struck atomic.Int64
		for seed := range uint64(2) {
			r := rand.New(rand.NewPCG(seed, 22))
			killing.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					answer, err := root.RequestFuture(e.PID(), &actors.Steps{}, patience).Result()
					if err != nil { // the session's actor is being started again
						continue
					}
					steps := answer.(*actors.Running).Steps
					if len(steps) == 0 {
						runtime.Gosched()
						continue
					}
					pid := steps[r.IntN(len(steps))]
					if names := []string{"", "/merge", "/slow", "/add", "/exit", "/nobody"}; r.IntN(2) == 0 {
						pid = actor.NewPID(pid.Address, pid.Id+names[r.IntN(len(names))])
					}
					struck.Add(1)
					switch r.IntN(8) {
					case 0:
						root.Stop(pid)
					case 1:
						root.Poison(pid)
					case 2:
						root.Send(pid, &actors.Abort{Reason: "at random"})
					case 3:
						root.Send(pid, r)
					case 4:
						root.RequestFuture(pid, &actors.Inspect{}, patience).Result() // perhaps a dead letter
					case 5:
						root.Send(watcher, pid)
					case 6:
						root.Send(pid, &actors.Deliver{Value: tensor.Scalar(int32(5))}) // no node takes it
					default:
						root.Send(e.PID(), r)
					}
				}
			})
		}
		failed := make([]int, 3)
		for k := range failed {
			running.Go(func() {
				for range *kills / len(failed) / 2 {
					v, err := one()
					switch {
					case err == nil && tensor.At0[int32](&v) != 10:
						t.Errorf("a step gave %v", v)
					case err != nil && (status.CodeOf(err) != status.Aborted || !strings.Contains(err.Error(), "abort") && !strings.Contains(err.Error(), "stopped")):
						t.Error(err)
					case err != nil:
						failed[k]++
					}
				}
			})
		}
		running.Wait()
		close(stop)
		killing.Wait()
		root.StopFuture(watcher).Wait()
		for range 3 {
			if v, err := one(); err != nil || tensor.At0[int32](&v) != 10 {
				t.Error(v, err)
			}
		}
		// Steps do not need the session's actor, by which they are found.
		root.PoisonFuture(e.PID()).Wait()
		if v, err := one(); err != nil || tensor.At0[int32](&v) != 10 {
			t.Error(v, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		pool.Close()
		if n := budget.Used(); n != 0 {
			t.Errorf("%d bytes are charged when everything has ended", n)
		}
		t.Logf("tokens %v: %v of %d steps failed, %d messages", tokens, failed, *kills/2, struck.Load())
	}
}

// Nodes of a loop that runs are asked by several at once: all answer, their iterations never
// go back, and who watches a node is told of its end.
func TestNodesAreInspectedAsTheyRun(t *testing.T) {
	root := actors.System().Root
	e := actors.New(actors.Config{Tokens: true})
	p := counting(t, math.MaxInt32)
	ended := make(chan error, 1)
	go func() {
		step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: kerneltest.Serial{}}
		ended <- e.Run(step, p, nil, make([]tensor.Value, 1))
	}()
	var step *actor.PID
	for step == nil {
		if steps := ask(t, e.PID(), &actors.Steps{}).(*actors.Running).Steps; len(steps) > 0 {
			step = steps[0]
		}
	}
	var asking sync.WaitGroup
	for k := range 4 {
		asking.Go(func() {
			last := map[string]int{}
			for i := range 300 {
				node := []string{"merge", "slow", "switch", "add", "next", "less"}[(i+k)%6]
				answer, err := root.RequestFuture(actor.NewPID(step.Address, step.Id+"/"+node), &actors.Inspect{}, patience).Result()
				if err != nil {
					t.Errorf("%s: %v", node, err)
					return
				}
				first := math.MaxInt
				for _, s := range answer.(*actors.NodeStatus).Report.States {
					var at int
					if n, _ := fmt.Sscanf(s.Tag[strings.LastIndexByte(s.Tag, '[')+1:], "%d]", &at); n == 1 {
						first = min(first, at)
					}
				}
				if first == math.MaxInt {
					continue // nothing of it is there
				}
				if first < last[node] {
					t.Errorf("%s went back from iteration %d to %d", node, last[node], first)
				}
				last[node] = first
			}
		})
	}
	asking.Wait()
	told := make(chan string, 2)
	watching := make(chan struct{})
	watcher := root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch m := c.Message().(type) {
		case *actor.Started:
			c.Watch(step)
			c.Watch(actor.NewPID(step.Address, step.Id+"/add"))
			close(watching)
		case *actor.Terminated:
			told <- m.Who.Id
		}
	}))
	<-watching
	root.Send(actor.NewPID(step.Address, step.Id+"/add"), &actors.Abort{Reason: "enough"})
	if err := <-ended; status.CodeOf(err) != status.Aborted {
		t.Error(err)
	}
	for range 2 {
		if id := <-told; id != step.Id && id != step.Id+"/add" {
			t.Errorf("%s has ended", id)
		}
	}
	root.StopFuture(watcher).Wait()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
