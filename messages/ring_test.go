package messages

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/actors"
)

// A member hands a number on to the next one, until it is zero.
type member struct {
	next *actor.PID
	done chan struct{}
}

func (m *member) Receive(c actor.Context) {
	switch x := c.Message().(type) {
	case *actor.PID:
		m.next = x
	case *int:
		if *x--; *x < 0 {
			m.done <- struct{}{}
			return
		}
		c.Send(m.next, x)
	}
}

// BenchmarkHop times a message from actor to actor in a ring of 100 that the library runs
// by itself, with one message on its way and with 16: what [BenchmarkNodes] compares with.
func BenchmarkHop(b *testing.B) {
	root := actors.System().Root
	for name, many := range map[string]int{"1": 1, "16": 16} {
		b.Run(name, func(b *testing.B) {
			done := make(chan struct{}, many)
			var ring []*actor.PID
			for range 100 {
				ring = append(ring, root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &member{done: done} })))
			}
			for i, pid := range ring {
				root.Send(pid, ring[(i+1)%len(ring)])
			}
			hops := 0
			for b.Loop() {
				for range many {
					left := 10_000 / many
					root.Send(ring[0], &left)
				}
				for range many {
					<-done
				}
				hops += 10_000
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(hops), "ns/hop")
			for _, pid := range ring {
				root.StopFuture(pid).Wait()
			}
		})
	}
}
