package messages

import (
	"context"
	"flag"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var kills = flag.Int("kills", 900, "run `N` steps in TestActorsAreKilled")

// addresses are those of the actors that a program has when a step of it has run.
func addresses(t testing.TB, e *Engine, p *nodes.Program) (list []*actor.PID) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, st := range e.idle {
		if st.program != p {
			continue
		}
		list = append(list, st.step.pid)
		for i := range st.nodes {
			if pid := st.nodes[i].pid; pid != nil {
				list = append(list, pid)
			}
		}
		for _, s := range st.seats[1:] {
			list = append(list, s.pid)
		}
	}
	return list
}

// A step one of whose actors is stopped or poisoned fails and says which; the next one
// works. It is the same for the actors of nodes, of frames and of the step.
func TestAStoppedActorFailsItsStepAlone(t *testing.T) {
	root := actors.System().Root
	e := New(actors.Config{})
	defer e.Close()
	p := compiled(t, loop, "exit")
	right := func() {
		t.Helper()
		if v, err := run(e, p); err != nil || tensor.At0[int32](&v[0]) != 10 {
			t.Fatal(v, err)
		}
	}
	right()
	for i := range addresses(t, e, p) {
		for name, stop := range map[string]func(*actor.PID){"stopped": root.Stop, "poisoned": root.Poison} {
			right()
			pid := addresses(t, e, p)[i]
			var once sync.Once
			f := func() error { once.Do(func() { stop(pid) }); return nil }
			hook.Store(&f)
			_, err := run(e, p)
			hook.Store(nil)
			if status.CodeOf(err) != status.Aborted || !strings.Contains(err.Error(), "stopped from outside") {
				t.Errorf("%s %s: the step's error is %v", pid.Id, name, err)
			}
			right()
			stop(addresses(t, e, p)[i]) // where no step runs
			right()
		}
	}
}

// A message from outside is dropped, from whichever goroutine it comes.
func TestForeignMessagesAreDropped(t *testing.T) {
	root := actors.System().Root
	e := New(actors.Config{})
	defer e.Close()
	p := compiled(t, loop, "exit")
	if _, err := run(e, p); err != nil {
		t.Fatal(err)
	}
	list := addresses(t, e, p)
	stop := make(chan struct{})
	var sending sync.WaitGroup
	for range 2 {
		sending.Go(func() {
			for {
				for _, pid := range list {
					root.Send(pid, "hello")
					root.Send(pid, &protocol.Message{Verb: protocol.Retire, Tag: protocol.Tag{Frame: 1, Iter: 1 << 40}})
					root.Send(pid, &protocol.Message{Verb: protocol.Notice})
					root.Send(pid, &protocol.Failure{Err: status.Errorf(status.Internal, "not ours")})
					root.Send(pid, protocol.Message{})
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range 200 {
		if v, err := run(e, p); err != nil || tensor.At0[int32](&v[0]) != 10 {
			t.Error(v, err)
		}
	}
	close(stop)
	sending.Wait()
	if got := addresses(t, e, p); len(got) != len(list) || got[0].Id != list[0].Id {
		t.Error("the stage was given up")
	}
}

// Actors of steps are stopped, poisoned and sent messages at random while several callers
// run steps. A step succeeds or says that an actor was stopped, and when nobody stops any
// more all succeed.
func TestActorsAreKilled(t *testing.T) {
	root := actors.System().Root
	for _, threads := range []int{1, 3} {
		pool := cpu.NewPool(cpu.Options{Threads: threads})
		budget := tensor.NewBudget(1 << 20)
		e := New(actors.Config{Pool: pool, Budget: budget})
		p := compiled(t, loop, "exit")
		yield := func() error {
			for range 10 {
				runtime.Gosched()
			}
			return nil
		}
		hook.Store(&yield)
		one := func() (tensor.Value, error) {
			fetched := make([]tensor.Value, 1)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			m := resource.NewManager()
			err := e.Run(&kernel.Step{Context: ctx, Resources: m, PerStep: m, Pool: kerneltest.Serial{}}, p, nil, fetched)
			return fetched[0], err
		}
		stop := make(chan struct{})
		var running, killing sync.WaitGroup
		for seed := range 2 {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(threads)))
			killing.Go(func() {
				var list []*actor.PID
				for {
					select {
					case <-stop:
						return
					default:
					}
					if now := addresses(t, e, p); len(now) > 0 {
						list = append(list[:0], now...)
					}
					for range r.IntN(50) {
						runtime.Gosched()
					}
					if len(list) == 0 {
						continue
					}
					pid := list[r.IntN(len(list))]
					switch r.IntN(4) {
					case 0:
						root.Stop(pid)
					case 1:
						root.Poison(pid)
					case 2:
						root.Send(pid, &protocol.Message{Verb: protocol.Arrive})
					default:
						root.Send(pid, r)
					}
				}
			})
		}
		failed := make([]int, 3)
		for k := range failed {
			running.Go(func() {
				for range *kills / len(failed) {
					v, err := one()
					switch {
					case err == nil && tensor.At0[int32](&v) != 10:
						t.Errorf("a step gave %v", v)
					case err != nil && (status.CodeOf(err) != status.Aborted || !strings.Contains(err.Error(), "stopped from outside")):
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
		for range 3 { // those that were stopped while no step ran
			if v, err := one(); err != nil || tensor.At0[int32](&v) != 10 {
				t.Error(v, err)
			}
		}
		hook.Store(nil)
		e.Close()
		pool.Close()
		if n := budget.Used(); n != 0 {
			t.Errorf("%d bytes are charged when everything has ended", n)
		}
		t.Logf("%d threads: %v of %d steps failed", threads, failed, *kills)
	}
}
