package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/troupe-go/troupe/cluster/protocol"
)

// An Instr is one instruction of a part.
type Instr struct {
	Op   Op
	Peer protocol.Peer // of Send and Recv
	Key  string        // of all that move values
	Size int64         // of Send, Recv and Tell
}

// large is the size from which on tensors are fetched by who receives them.
const large = 30

// An Op is what an instruction does.
type Op uint8

// The operations of parts.
const (
	Work  Op = iota // changes the accumulator; what it does outside counts as one effect
	Send            // sends the accumulator
	Recv            // mixes what it receives into the accumulator
	Fail            // fails
	Stall           // does not end for long, not even when it is stopped
	Ask             // mixes what the client feeds meanwhile into the accumulator
	Tell            // gives the accumulator to the client
)

// A Graph is the parts of a graph, for the workers of the same index.
type Graph struct {
	Parts []Part
}

// A Part is what one worker runs of a graph: the accumulator begins as the feed and ends
// as the fetch.
type Part struct {
	Worker protocol.Peer
	Code   []Instr
}

// mix changes an accumulator by a number.
func mix(acc, v uint64) uint64 {
	acc = (acc ^ v) * 0x9e3779b97f4a7c15
	return acc ^ acc>>29
}

// randomGraph draws a graph over some of the workers: transfers in an order in which they
// can happen, and a loop that crosses two workers now and then.
func randomGraph(rng *rand.Rand, workers int, faults bool) Graph {
	n := 1 + rng.IntN(min(workers, 4))
	at := rng.Perm(workers)[:n]
	g := Graph{Parts: make([]Part, n)}
	for i := range g.Parts {
		g.Parts[i].Worker = protocol.Peer(at[i] + 1)
	}
	transfer := func(a, b, k int) {
		key := fmt.Sprint("t", k)
		size := 1 + rng.Int64N(80)
		g.Parts[a].Code = append(g.Parts[a].Code, Instr{Op: Send, Peer: g.Parts[b].Worker, Key: key, Size: size})
		g.Parts[b].Code = append(g.Parts[b].Code, Instr{Op: Recv, Peer: g.Parts[a].Worker, Key: key, Size: size})
	}
	k := 0
	for range rng.IntN(5) {
		if n > 1 {
			a, b := rng.IntN(n), rng.IntN(n-1)
			if b >= a {
				b++
			}
			rounds := 1
			if rng.IntN(4) == 0 {
				rounds = 1 + rng.IntN(6)
			}
			for range rounds {
				transfer(a, b, k)
				k++
				if rounds > 1 {
					transfer(b, a, k)
					k++
				}
			}
		}
		i := rng.IntN(n)
		g.Parts[i].Code = append(g.Parts[i].Code, Instr{Op: Work})
	}
	if n > 1 && rng.IntN(3) == 0 { // sends first, all received in reversed order: more than the window
		a, b := 0, 1
		var recvs []Instr
		for range 3 + rng.IntN(4) {
			transfer(a, b, k)
			k++
			code := &g.Parts[b].Code
			recvs = append([]Instr{(*code)[len(*code)-1]}, recvs...)
			*code = (*code)[:len(*code)-1]
		}
		g.Parts[b].Code = append(g.Parts[b].Code, recvs...)
	}
	if faults && rng.IntN(8) == 0 {
		i := rng.IntN(n)
		g.Parts[i].Code = append(g.Parts[i].Code, Instr{Op: Fail})
	}
	if faults && rng.IntN(8) == 0 {
		i := rng.IntN(n)
		g.Parts[i].Code = append(g.Parts[i].Code, Instr{Op: Stall})
	}
	for i := range g.Parts {
		g.Parts[i].Code = append(g.Parts[i].Code, Instr{Op: Work})
	}
	return g
}

// exchange makes a graph one that is fed and fetched while it runs.
func (g *Graph) exchange(rng *rand.Rand) {
	for k := range 1 + rng.IntN(4) {
		in := Instr{Op: Ask, Key: fmt.Sprint("ask", k)}
		if rng.IntN(2) == 0 {
			in = Instr{Op: Tell, Key: fmt.Sprint("tell", k), Size: 1 + rng.Int64N(80)}
		}
		p := &g.Parts[rng.IntN(len(g.Parts))]
		p.Code = slices.Insert(p.Code, rng.IntN(len(p.Code)), in)
	}
}

// peers returns the workers that a part exchanges tensors with.
func (p *Part) peers() (all []protocol.Peer) {
	seen := map[protocol.Peer]bool{}
	for _, in := range p.Code {
		if (in.Op == Send || in.Op == Recv) && !seen[in.Peer] {
			seen[in.Peer] = true
			all = append(all, in.Peer)
		}
	}
	return all
}

// fails reports whether a graph has an instruction that fails.
func (g *Graph) fails() bool {
	for _, p := range g.Parts {
		for _, in := range p.Code {
			if in.Op == Fail {
				return true
			}
		}
	}
	return false
}

// brief reports whether nothing in a graph takes long by itself.
func (g *Graph) brief() bool {
	return !slices.ContainsFunc(g.Parts, func(p Part) bool {
		return slices.ContainsFunc(p.Code, func(in Instr) bool { return in.Op == Stall || in.Op == Ask })
	})
}

// evaluate returns the fetches of a graph, without a cluster, and what it tells, by key. fed is
// what it asks for, by key.
func (g *Graph) evaluate(feeds []uint64, fed map[string]uint64) (fetches []uint64, told map[string]uint64) {
	told = map[string]uint64{}
	acc := append([]uint64(nil), feeds...)
	pc := make([]int, len(g.Parts))
	sent := map[string]uint64{}
	for moved := true; moved; {
		moved = false
		for i := range g.Parts {
			for pc[i] < len(g.Parts[i].Code) {
				in := g.Parts[i].Code[pc[i]]
				if in.Op == Recv {
					v, come := sent[in.Key]
					if !come {
						break
					}
					acc[i] = mix(acc[i], v)
				} else if in.Op == Send {
					sent[in.Key] = acc[i]
				} else if in.Op == Ask {
					acc[i] = mix(acc[i], fed[in.Key])
				} else if in.Op == Tell {
					told[in.Key] = acc[i]
				} else {
					acc[i] = mix(acc[i], 1)
				}
				pc[i]++
				moved = true
			}
		}
	}
	for i := range pc {
		if pc[i] < len(g.Parts[i].Code) {
			panic("a graph that cannot run")
		}
	}
	return acc, told
}
