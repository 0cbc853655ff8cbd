// Package mutate changes requests at random, for tests of what servers do with them.
package mutate

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var long = flag.Duration("mutated", 0, "for how long tests send requests that are changed at random, from a new seed; 0: 3,000 from a fixed one")

// A Source changes examples. It is not safe for concurrent use.
type Source struct {
	rng      *rand.Rand
	examples [][]byte
}

// New returns a source of changed examples.
func New(seed uint64, examples ...[]byte) *Source {
	return &Source{rand.New(rand.NewPCG(seed, 7)), examples}
}

// IntN returns a number below n.
func (s *Source) IntN(n int) int { return s.rng.IntN(n) }

// words are what parsers stumble over.
var words = []string{
	"", "0", "-1", "-0", "1e999", "1e-999", "NaN", "-Infinity", "9223372036854775808", "18446744073709551615", "0.1e", "null", "true",
	`"`, `\u0000`, `\ud800`, "{", "}", "[", "]", "[[[[", "{}", "[]", ",", ":", `{"b64": "`, `"b64"`, "\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x80", "\x7f",
}

// Next returns an example with a few changes.
func (s *Source) Next() []byte {
	b := append([]byte(nil), s.pick()...)
	for range s.rng.IntN(5) {
		from := s.rng.IntN(len(b) + 1)
		to := min(len(b), from+s.rng.IntN(1+s.rng.IntN(20)))
		var by []byte
		switch s.rng.IntN(6) {
		case 0: // another example's part
			o := s.pick()
			i := s.rng.IntN(len(o) + 1)
			by = o[i:min(len(o), i+s.rng.IntN(30))]
		case 1:
			by = []byte(words[s.rng.IntN(len(words))])
		case 2: // a part again
			for range s.rng.IntN(8) {
				by = append(by, b[from:to]...)
			}
		case 3: // a bit
			if to = min(len(b), from+1); to > from {
				by = []byte{b[from] ^ 1<<s.rng.IntN(8)}
			}
		case 4: // a byte
			by = []byte{byte(s.rng.IntN(256))}
		case 5: // it is gone
		}
		b = append(append(append([]byte(nil), b[:from]...), by...), b[to:]...)
	}
	return b
}

func (s *Source) pick() []byte { return s.examples[s.rng.IntN(len(s.examples))] }

// Each calls f with changed examples.
func Each(t testing.TB, f func([]byte), examples ...[]byte) {
	seed := uint64(1)
	if *long > 0 {
		seed = rand.Uint64()
	}
	n, s := 0, New(seed, examples...)
	for end := time.Now().Add(*long); n < 3000 || time.Now().Before(end); n++ {
		f(s.Next())
	}
	t.Logf("%d requests from seed %d", n, seed)
}
