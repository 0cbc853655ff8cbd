package nodes_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var networks = flag.Int("networks", 12, "run `N` random networks of loops in TestNetworksOfLoops")

// network draws loops that pass numbers on: each takes one number from some queues in each
// iteration and puts one into others, of loops that come later, so the answer is the same in
// every order and nothing hangs, however small the queues are. What a loop takes, and what it
// puts, is in an order or is not, and may be on both sides of a conditional.
func network(r *rand.Rand) (text string, loops int) {
	var b writer
	n := b.node("n", "Placeholder", "", "dtype", long)
	zero := b.number("zero", 0, "")
	loops = 2 + r.IntN(4)
	var into, from = make([][]string, loops), make([][]string, loops)
	for k := range loops - 1 {
		for range 1 + r.IntN(2) {
			to := k + 1 + r.IntN(loops-k-1)
			capacity := 1 + r.IntN(3)
			if r.IntN(4) == 0 {
				capacity = -1
			}
			q := b.queue(fmt.Sprint("q", k, "to", to, "number", len(into[to])), capacity)
			into[to], from[k] = append(into[to], q), append(from[k], q)
		}
	}
	answer := zero
	for k := range loops {
		name := fmt.Sprint("l", k)
		queues := append(append([]string{}, into[k]...), from[k]...)
		got := b.loop(name, n, zero, queues, func(i, v string, q []string) string {
			chained := func() bool { return r.IntN(2) == 0 }
			sum, last := b.binary("Mul", name+"/mul", v, b.number(name+"/three", 3, "^"+i)), "^"+i
			sum = b.binary("AddV2", name+"/plus", sum, i)
			order := chained()
			for j := range into[k] {
				take := fmt.Sprint(name, "/take", j)
				before := "^" + i
				if order {
					before = last
				}
				x := b.take(take, q[j], before)
				last = "^" + x
				sum = b.binary("AddV2", fmt.Sprint(name, "/sum", j), sum, x)
			}
			sum = b.binary("FloorMod", name+"/mod", sum, b.number(name+"/prime", 1009, "^"+i))
			ends, order := "", chained()
			last = ""
			for j := range from[k] {
				put, at := fmt.Sprint(name, "/put", j), q[len(into[k])+j]
				var before []string
				if order && last != "" {
					before = []string{last}
				}
				if r.IntN(3) > 0 {
					last = "^" + b.put(put, at, sum, before...)
				} else { // a small number goes as it is, and others are doubled
					odd := b.binary("Greater", put+"/odd", sum, name+"/three", before...)
					for side, port := range []string{"", ":1"} {
						x := fmt.Sprint(put, "/x", side)
						if side == 0 {
							b.node(put+"/switch", "Switch", sum+" "+odd, "T", long)
						}
						b.node(x, "Identity", put+"/switch"+port, "T", long)
						y := x
						if side == 1 {
							y = b.binary("AddV2", x+"/twice", x, x)
						}
						b.node(fmt.Sprint(put, "/done", side), "Identity", x+" ^"+b.put(fmt.Sprint(put, "/side", side), at, y), "T", long)
					}
					last = "^" + b.node(put, "Merge", put+"/done0 "+put+"/done1", "T", long, "N", "2")
				}
				ends += " " + last
			}
			return b.node(name+"/next", "Identity", sum+ends, "T", long)
		})
		answer = b.binary("AddV2", name+"/answer", answer, got)
	}
	b.node("answer", "Identity", answer, "T", long)
	return b.String(), loops
}

// TestNetworksOfLoops runs random loops with queues between them on all engines, and as
// units, to their ends and until they are cancelled.
func TestNetworksOfLoops(t *testing.T) {
	all := engines(t, 2)
	units, count := 0, 0
	for seed := range uint64(*networks) {
		r := rand.New(rand.NewPCG(seed, 0))
		text, loops := network(r)
		p := compiled(t, text, []string{"n"}, "answer")
		units, count = units+p.Plan().Units(), count+loops
		for _, n := range []int64{0, 1, int64(2 + r.IntN(60))} {
			want := int64(-1)
			for k, e := range all {
				got, err := run(t.Context(), e, p, tensor.Scalar(n))
				if err != nil {
					t.Fatalf("network %d, %d on %s: %v\n%s", seed, n, e.label, err, text)
				}
				if v := tensor.At0[int64](&got[0]); k == 0 {
					want = v
				} else if v != want {
					t.Fatalf("network %d, %d on %s: %d, want %d\n%s", seed, n, e.label, v, want, text)
				}
			}
		}
		for _, e := range all {
			if !strings.HasPrefix(e.label, "actors") && e.label != "tokens" {
				continue
			}
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				if _, err := run(ctx, e, p, tensor.Scalar(int64(1<<40))); status.CodeOf(err) != status.Canceled {
					t.Fatalf("network %d on %s: %v", seed, e.label, err)
				}
				cancel()
				if used := e.budget.Used(); used > 1<<16 {
					t.Fatalf("network %d on %s: %d bytes are left", seed, e.label, used)
				}
			}
		}
	}
	if 4*units < 3*count {
		t.Errorf("%d of %d loops are units", units, count)
	}
}
