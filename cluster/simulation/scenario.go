package simulation

import (
	"math/rand/v2"
	"slices"

	"github.com/troupe-go/troupe/cluster/protocol"
)

// A Time is simulated microseconds.
type Time int64

// period is the timer's, which each process's clock runs faster or slower than.
const period Time = 1000

// A Scenario is what is to happen.
type Scenario struct {
	Seed     uint64 // of delays, losses, durations and incarnations
	Workers  int
	Config   protocol.Config
	Graphs   []Graph
	Requests []Request
	Faults   []Fault
	End      Time // of the faults
	Delay    Time // typical of a packet
	Late     int  // of 1000 packets, how many take up to 60 times as long
	Twice    int  // of 1000, how many are delivered twice
	Lost     int  // of 1000, how many are lost until End
	Stall    Time // how long a Stall takes at most
}

// healthy reports whether nothing is to go wrong but that packets come twice.
func (s *Scenario) healthy() bool {
	return len(s.Faults) == 0 && s.Lost == 0 && s.Late == 0 && s.Config.MaxSteps == 0
}

// A Request is one of a client's, to the master.
type Request struct {
	At     Time
	Graph  int
	Cancel Time // when it is cancelled; 0: it is not
}

// A FaultKind is what a fault does.
type FaultKind uint8

// The kinds of faults.
const (
	Crash     FaultKind = iota // of Peer, which starts again after For with another incarnation
	Hang                       // of Peer: it does nothing for that time, and then takes all that has come
	Cut                        // of the packets from Peer to To
	Partition                  // of Peer from all others
	Mute                       // of the messages from Peer to To: beats pass
	Back                       // of what Peer returns on connections that To has made: echoes, large tensors
)

// String returns the name of the constant.
func (k FaultKind) String() string {
	return [...]string{"Crash", "Hang", "Cut", "Partition", "Mute", "Back"}[k]
}

// A Fault is one, at a time, for a time.
type Fault struct {
	Kind     FaultKind
	At, For  Time
	Peer, To protocol.Peer
}

// Master is the address of the master. Workers follow.
const Master protocol.Peer = 0

// Random draws a scenario with up to that many workers, at least 1.
func Random(seed uint64, most int) *Scenario {
	rng := rand.New(rand.NewPCG(seed, 24))
	workers := 1 + rng.IntN(max(most, 1))
	if most > 8 {
		workers = most
	}
	s := &Scenario{Seed: seed, Workers: workers, Config: protocol.Config{Patience: 6 + rng.IntN(4), Window: 64 << rng.IntN(4)}, Delay: Time(20 + rng.Int64N(400))}
	s.End = 150 * period
	if rng.IntN(3) > 0 {
		s.Late = rng.IntN(40)
	}
	if rng.IntN(3) > 0 {
		s.Twice = rng.IntN(100)
	}
	if rng.IntN(3) == 0 {
		s.Lost = rng.IntN(200)
	}
	if rng.IntN(6) == 0 {
		s.Config.MaxSteps = 1 + rng.IntN(4)
	}
	for range 1 + rng.IntN(3) {
		s.Graphs = append(s.Graphs, randomGraph(rng, workers, true))
	}
	for range 1 + rng.IntN(12) {
		r := Request{At: Time(rng.Int64N(int64(s.End))), Graph: rng.IntN(len(s.Graphs))}
		if rng.IntN(8) == 0 {
			r.Cancel = r.At + Time(rng.Int64N(int64(10*period)))
		}
		s.Requests = append(s.Requests, r)
	}
	slices.SortFunc(s.Requests, func(a, b Request) int { return int(a.At - b.At) })
	for range rng.IntN(5) {
		f := Fault{Kind: FaultKind(rng.IntN(5)), At: Time(rng.Int64N(int64(s.End - 40*period))), For: Time(1 + rng.Int64N(int64(30*period)))}
		f.Peer = protocol.Peer(rng.IntN(workers + 1))
		f.To = protocol.Peer(rng.IntN(workers + 1))
		if rng.IntN(3) == 0 {
			f.For = Time(1 + rng.Int64N(int64(2*period))) // shorter than it takes to see
		}
		if rng.IntN(6) == 0 {
			f.For = 40*period + Time(rng.Int64N(int64(100*period))) // until all have seen it
		}
		s.Faults = append(s.Faults, f)
	}
	if rng.IntN(4) == 0 {
		f := Fault{Kind: Back, At: Time(rng.Int64N(int64(s.End - 40*period))), For: Time(1 + rng.Int64N(int64(100*period)))}
		f.Peer, f.To = protocol.Peer(rng.IntN(workers+1)), protocol.Peer(rng.IntN(workers+1))
		s.Faults = append(s.Faults, f)
	}
	// Drawn last, so that what a seed meant before is unchanged.
	s.Stall = 20 * period
	if rng.IntN(4) == 0 {
		s.Stall = 80 * period // longer than any bound
		for i := range s.Requests {
			if r := &s.Requests[i]; !s.Graphs[r.Graph].brief() && rng.IntN(2) == 0 {
				r.Cancel = r.At + Time(rng.Int64N(int64(10*period)))
			}
		}
	}
	if rng.IntN(3) == 0 {
		s.Graphs[rng.IntN(len(s.Graphs))].exchange(rng)
	}
	return s
}

// Shrink returns a scenario with fewer faults and requests that still fails.
func Shrink(s *Scenario, fails func(*Scenario) bool) *Scenario {
	for again := true; again; {
		again = false
		try := func(t Scenario) {
			if fails(&t) {
				s, again = &t, true
			}
		}
		for i := len(s.Faults) - 1; i >= 0; i-- {
			if i < len(s.Faults) {
				t := *s
				t.Faults = slices.Delete(slices.Clone(s.Faults), i, i+1)
				try(t)
			}
		}
		for i := len(s.Requests) - 1; i >= 0; i-- {
			if i < len(s.Requests) {
				t := *s
				t.Requests = slices.Delete(slices.Clone(s.Requests), i, i+1)
				try(t)
			}
		}
		for _, quiet := range []func(*Scenario){func(t *Scenario) { t.Late = 0 }, func(t *Scenario) { t.Twice = 0 }, func(t *Scenario) { t.Lost = 0 }} {
			t := *s
			if quiet(&t); t.Late != s.Late || t.Twice != s.Twice || t.Lost != s.Lost {
				try(t)
			}
		}
	}
	return s
}
