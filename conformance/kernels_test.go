package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
)

// FuzzKernels runs kernels on inputs and attributes that have been tampered with. They
// answer, within the session's limits, and leave nothing on its account.
func FuzzKernels(f *testing.F) {
	all := subjects(f)
	for i := range 100 {
		f.Add(uint16(i*len(all)/100), uint64(i))
	}
	f.Fuzz(func(t *testing.T, which uint16, seed uint64) {
		s := all[int(which)%len(all)].tampered(rand.New(rand.NewPCG(seed, 0)))
		if err := s.survive(); err != nil {
			t.Errorf("%s[%v]%.300v: %v", s.op, s.attrs, s.inputs, err)
		}
	})
}

// survive runs a subject and tells what must not happen.
func (s *subject) survive() error {
	const limit = time.Second
	g, feeds, err := s.graph()
	if err != nil {
		return panicOf(err)
	}
	sess, err := session.NewSession(g.Graph, &session.SessionOptions{MemoryLimit: 64 << 20, Timeout: limit, Files: &session.FilePolicy{}})
	if err != nil {
		return err
	}
	defer sess.Close()
	watch := startWatch()
	if len(g.assigns) > 0 {
		_, err = sess.RunContext(context.Background(), feeds, nil, g.assigns)
	}
	if err == nil {
		_, err = sess.RunContext(context.Background(), feeds, g.fetches, []*graph.Node{g.op})
	}
	if took := watch.elapsed(); took > limit+5*time.Second {
		return fmt.Errorf("it took %v, %v", took, err)
	}
	if err := panicOf(err); err != nil {
		return err
	}
	if err := sess.Close(); err != nil {
		return err
	}
	if left := sess.MemoryInUse(); left != 0 {
		return fmt.Errorf("%d bytes are left on the account (%v)", left, err)
	}
	return nil
}

func panicOf(err error) error {
	if panicked(err) {
		return err
	}
	return nil
}
