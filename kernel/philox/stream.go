package philox

import (
	crand "crypto/rand"
	"encoding/binary"
	"hash/fnv"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
)

// A stream is a node's generator.
type stream struct {
	mu   sync.Mutex
	next Generator
}

// Reserve takes n values of the counter of a node's generator.
func Reserve(ctx *kernel.Context, node string, seed, seed2 int64, n uint64) (Generator, error) {
	s, err := resource.LookupOrCreate(ctx.Step.States(), "", node, func() (*stream, error) {
		if seed == 0 && seed2 == 0 {
			return &stream{next: Unseeded(node, ctx.Step.Seed)}, nil
		}
		return &stream{next: New(uint64(seed), uint64(seed2))}, nil
	})
	if err != nil {
		return Generator{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.next
	s.next.Skip(n)
	return g, nil
}

// Begin makes g the generator of a node that has none yet.
func Begin(states *resource.Manager, node string, g Generator) error {
	_, err := resource.LookupOrCreate(states, "", node, func() (*stream, error) { return &stream{next: g}, nil })
	return err
}

// Unseeded makes the generator of a node without seeds: from the session's seed
// and the node's name, or, if the session has none, by chance.
func Unseeded(node string, session int64) Generator {
	if session != 0 {
		h := fnv.New64a()
		h.Write([]byte(node))
		return New(uint64(session), h.Sum64())
	}
	var b [16]byte
	crand.Read(b[:]) // never fails
	return New(binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]))
}
