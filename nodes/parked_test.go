package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/data"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A writer writes a graph of int64 numbers as text.
type writer struct{ strings.Builder }

func (b *writer) node(name, op, inputs string, attrs ...string) string {
	fmt.Fprintf(b, "%s = %s(%s) {", name, op, strings.Join(strings.Fields(inputs), ", "))
	for i := 0; i < len(attrs); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(b, "%s=%s", attrs[i], attrs[i+1])
	}
	b.WriteString("}\n")
	return name
}

const long = "DT_INT64"

func (b *writer) number(name string, v int64, inputs string) string {
	return b.node(name, "Const", inputs, "dtype", long, "value", fmt.Sprintf("Tensor<type: int64 shape: [] values: %d>", v))
}

func (b *writer) queue(name string, capacity int) string {
	return b.node(name, "FIFOQueueV2", "", "component_types", "[DT_INT64]", "capacity", fmt.Sprint(capacity))
}

func (b *writer) binary(op, name, x, y string, order ...string) string {
	return b.node(name, op, strings.Join(append([]string{x, y}, order...), " "), "T", long)
}

func (b *writer) put(name, q, x string, order ...string) string {
	return b.node(name, "QueueEnqueueV2", strings.Join(append([]string{q, x}, order...), " "), "Tcomponents", "[DT_INT64]")
}

func (b *writer) take(name, q string, order ...string) string {
	return b.node(name, "QueueDequeueV2", strings.Join(append([]string{q}, order...), " "), "component_types", "[DT_INT64]")
}

// loop writes a loop of n iterations, one at a time, over a counter and a number that begins as
// init. body gets the names of both, of a handle of each of the queues, and what is live in the
// loop's body, and returns the next number.
func (b *writer) loop(name, n, init string, queues []string, body func(i, v string, queues []string) string) string {
	frame := []string{"T", long, "frame_name", fmt.Sprintf("%q", name), "parallel_iterations", "1"}
	enter := func(at, from, typ string, constant bool) string {
		attrs := append([]string{}, frame...)
		attrs[1] = typ
		if constant {
			attrs = append(attrs, "is_constant", "true")
		}
		return b.node(name+"/"+at, "Enter", from, attrs...)
	}
	zero := b.number(name+"/zero", 0, "^"+init)
	limit := enter("limit", n, long, true)
	var names [2]string
	for k, from := range []string{zero, init} {
		at := fmt.Sprint(name, "/v", k)
		enter(fmt.Sprint("enter", k), from, long, false)
		names[k] = b.node(at, "Merge", fmt.Sprintf("%s/enter%d %s/next%d", name, k, name, k), "T", long, "N", "2")
	}
	less := b.binary("Less", name+"/less", names[0], limit)
	test := b.node(name+"/test", "LoopCond", less)
	for k := range names {
		b.node(fmt.Sprint(name, "/switch", k), "Switch", names[k]+" "+test, "T", long)
		b.node(fmt.Sprint(name, "/exit", k), "Exit", fmt.Sprintf("%s/switch%d", name, k), "T", long)
		names[k] = b.node(fmt.Sprint(name, "/in", k), "Identity", fmt.Sprintf("%s/switch%d:1", name, k), "T", long)
	}
	var handles []string
	for k, q := range queues {
		handles = append(handles, enter(fmt.Sprint("queue", k), q, "DT_RESOURCE", true))
	}
	one := b.number(name+"/one", 1, "^"+names[0])
	b.node(name+"/next0", "NextIteration", b.binary("AddV2", name+"/count", names[0], one), "T", long)
	b.node(name+"/next1", "NextIteration", body(names[0], names[1], handles), "T", long)
	return name + "/exit1"
}

// pingPong is two loops that send a number back and forth.
func pingPong() string {
	var b writer
	n := b.node("n", "Placeholder", "", "dtype", long)
	b.game(n, b.number("zero", 0, ""), []string{b.queue("there", 1), b.queue("back", 1)}, "answer")
	return b.String()
}

// game writes the loops of pingPong, of n iterations, and a node with what init has become.
func (b *writer) game(n, init string, queues []string, answer string) string {
	ping := b.loop("ping", n, init, queues, func(i, v string, q []string) string {
		sent := b.put("ping/put", q[0], b.binary("AddV2", "ping/sum", v, "ping/one"))
		return b.take("ping/take", q[1], "^"+sent)
	})
	pong := b.loop("pong", n, init, queues, func(i, v string, q []string) string {
		sum := b.binary("AddV2", "pong/sum", b.take("pong/take", q[0], "^"+i), "pong/one")
		return b.node("pong/after", "Identity", sum+" ^"+b.put("pong/put", q[1], sum), "T", long)
	})
	return b.node(answer, "Identity", ping+" ^"+pong, "T", long)
}

// match is a loop that plays pingPong, with three iterations, in each of its own: tokens play
// it, and units what is in it.
func match() string {
	var b writer
	n := b.node("n", "Placeholder", "", "dtype", long)
	there, back := b.queue("there", 1), b.queue("back", 1)
	last := b.loop("match", n, b.number("zero", 0, ""), []string{there, back}, func(i, v string, q []string) string {
		return b.game(b.number("three", 3, "^"+i), v, q, "game")
	})
	b.node("answer", "Identity", last, "T", long)
	return b.String()
}

// buffer is loops that put numbers into a queue, and loops that add them up.
func buffer(loops, capacity int) string {
	var b writer
	n := b.node("n", "Placeholder", "", "dtype", long)
	q := b.queue("q", capacity)
	zero := b.number("zero", 0, "")
	sum, order := zero, ""
	for k := range loops {
		put := fmt.Sprint("put", k)
		order += " ^" + b.loop(put, n, zero, []string{q}, func(i, v string, q []string) string {
			return b.node(put+"/after", "Identity", i+" ^"+b.put(put+"/put", q[0], i), "T", long)
		})
		take := fmt.Sprint("take", k)
		got := b.loop(take, n, zero, []string{q}, func(i, v string, q []string) string {
			return b.binary("AddV2", take+"/sum", v, b.take(take+"/take", q[0], "^"+i))
		})
		sum = b.binary("AddV2", fmt.Sprint("sum", k), sum, got)
	}
	b.node("answer", "Identity", sum+order, "T", long)
	return b.String()
}

// stages is pingPong by staging areas, whose operations wait in no queue's line.
func stages() string {
	var b writer
	n := b.node("n", "Placeholder", "", "dtype", long)
	zero := b.number("zero", 0, "")
	area := func(name, op, inputs, area string) string {
		return b.node(name, op, inputs, "dtypes", "[DT_INT64]", "capacity", "1", "shared_name", fmt.Sprintf("%q", area))
	}
	ping := b.loop("ping", n, zero, nil, func(i, v string, _ []string) string {
		sent := area("ping/put", "Stage", b.binary("AddV2", "ping/sum", v, "ping/one"), "there")
		return area("ping/take", "Unstage", "^"+sent, "back")
	})
	pong := b.loop("pong", n, zero, nil, func(i, v string, _ []string) string {
		sum := b.binary("AddV2", "pong/sum", area("pong/take", "Unstage", "^"+i, "there"), "pong/one")
		return b.node("pong/after", "Identity", sum+" ^"+area("pong/put", "Stage", sum, "back"), "T", long)
	})
	b.node("answer", "Identity", ping+" ^"+pong, "T", long)
	return b.String()
}

// philosophers is loops that take two numbers each, from queues of one, and put both back at once.
func philosophers(n int) string {
	var b writer
	times := b.node("n", "Placeholder", "", "dtype", long)
	zero := b.number("zero", 0, "")
	var table []string
	laid, order := "", ""
	for k := range n {
		table = append(table, b.queue(fmt.Sprint("fork", k), 1))
		laid += " ^" + b.put(fmt.Sprint("lay", k), table[k], zero)
	}
	begin := b.node("begin", "Identity", zero+laid, "T", long)
	for p := range n {
		name := fmt.Sprint("p", p)
		first, second := min(p, (p+1)%n), max(p, (p+1)%n)
		order += " ^" + b.loop(name, times, begin, []string{table[first], table[second]}, func(i, v string, q []string) string {
			x := b.take(name+"/first", q[0], "^"+i)
			y := b.take(name+"/second", q[1], "^"+x)
			one := name + "/one"
			return b.node(name+"/after", "Identity", i+" ^"+
				b.put(name+"/put1", q[0], b.binary("AddV2", name+"/sum1", x, one), "^"+y)+" ^"+
				b.put(name+"/put2", q[1], b.binary("AddV2", name+"/sum2", y, one)), "T", long)
		})
	}
	sum := zero
	for k := range n {
		sum = b.binary("AddV2", fmt.Sprint("sum", k), sum, b.take(fmt.Sprint("count", k), table[k], strings.Fields(order)...))
	}
	b.node("answer", "Identity", sum, "T", long)
	return b.String()
}

// filters is a chain of loops that count what comes and pass it on.
func filters(many int) string {
	var b writer
	n, zero := b.node("n", "Placeholder", "", "dtype", long), b.number("zero", 0, "")
	var queues, ends []string
	for k := range many + 1 {
		queues = append(queues, b.queue(fmt.Sprint("q", k), -1))
	}
	ends = append(ends, b.loop("source", n, zero, queues[:1], func(i, v string, q []string) string {
		return b.node("source/after", "Identity", i+" ^"+b.put("source/put", q[0], i), "T", long)
	}))
	for k := range many {
		name := fmt.Sprint("filter", k)
		ends = append(ends, b.loop(name, n, zero, queues[k:k+2], func(i, v string, q []string) string {
			x := b.take(name+"/take", q[0], "^"+i)
			odd := b.binary("NotEqual", name+"/odd", b.binary("FloorMod", name+"/mod", x, b.number(name+"/three", 3, "^"+i)), v)
			b.node(name+"/choose", "Switch", x+" "+odd, "T", long)
			kept := b.node(name+"/kept", "Identity", name+"/choose:1 ^"+b.put(name+"/put", q[1], name+"/choose:1"), "T", long)
			also := b.node(name+"/also", "Identity", name+"/choose ^"+b.put(name+"/put2", q[1], name+"/choose"), "T", long)
			seen := b.node(name+"/seen", "Merge", kept+" "+also, "T", long, "N", "2")
			return b.binary("Sub", name+"/none", seen, seen)
		}))
	}
	sink := b.loop("sink", n, zero, queues[many:], func(i, v string, q []string) string {
		return b.binary("AddV2", "sink/sum", v, b.take("sink/take", q[0], "^"+i))
	})
	b.node("answer", "Identity", sink+" ^"+strings.Join(ends, " ^"), "T", long)
	return b.String()
}

// fan is a loop that puts numbers into many queues, and a loop for each of those.
func fan(many int) string {
	var b writer
	n, zero := b.node("n", "Placeholder", "", "dtype", long), b.number("zero", 0, "")
	var queues, ends []string
	for k := range many {
		queues = append(queues, b.queue(fmt.Sprint("q", k), -1))
		name := fmt.Sprint("worker", k)
		ends = append(ends, b.loop(name, n, zero, queues[k:], func(i, v string, q []string) string {
			return b.binary("AddV2", name+"/sum", v, b.take(name+"/take", q[0], "^"+i))
		}))
	}
	source := b.loop("source", n, zero, queues, func(i, v string, q []string) string {
		sent := ""
		for k := range q {
			sent += " ^" + b.put(fmt.Sprint("source/put", k), q[k], i)
		}
		return b.node("source/after", "Identity", i+sent, "T", long)
	})
	b.node("answer", "Identity", ends[0]+" ^"+strings.Join(ends[1:], " ^")+" ^"+source, "T", long)
	return b.String()
}

// TestLoopsThatWait runs loops that wait for each other on all engines, as units that are
// parked where an engine runs units.
func TestLoopsThatWait(t *testing.T) {
	for _, c := range []struct {
		name, text string
		loops      int
		want       func(n int64) int64
	}{
		{"ping-pong", pingPong(), 2, func(n int64) int64 { return 2 * n }},
		{"match", match(), 2, func(n int64) int64 { return 6 * n }},
		{"counting", buffer(1, -1), 2, func(n int64) int64 { return n * (n - 1) / 2 }},
		{"buffer of 1", buffer(3, 1), 6, func(n int64) int64 { return 3 * n * (n - 1) / 2 }},
		{"buffer of 7", buffer(2, 7), 4, func(n int64) int64 { return n * (n - 1) }},
		{"stages", stages(), 2, func(n int64) int64 { return 2 * n }},
		{"philosophers", philosophers(3), 3, func(n int64) int64 { return 6 * n }},
		{"filters", filters(3), 5, func(n int64) int64 { return n * (n - 1) / 2 }},
		{"many queues", fan(6), 7, func(n int64) int64 { return n * (n - 1) / 2 }},
	} {
		p := compiled(t, c.text, []string{"n"}, "answer")
		if plan := p.Plan(); plan.Units() != c.loops {
			t.Errorf("%s: %d of %d loops are units:\n%v", c.name, plan.Units(), c.loops, plan)
		}
		for _, e := range engines(t, 2) {
			for _, n := range []int64{0, 1, 300, 300} {
				got, err := run(t.Context(), e, p, tensor.Scalar(n))
				if err != nil {
					t.Errorf("%s, %d on %s: %v", c.name, n, e.label, err)
				} else if v := tensor.At0[int64](&got[0]); v != c.want(n) {
					t.Errorf("%s, %d on %s: %d, want %d", c.name, n, e.label, v, c.want(n))
				}
				if used := e.budget.Used(); used > 1<<16 {
					t.Fatalf("%s, %d on %s: %d bytes are left", c.name, n, e.label, used)
				}
			}
		}
	}
}

// tensors is loops of which one puts numbers into a queue, and in one iteration a vector of one; the
// other adds up what comes, and in some iterations takes another from a second queue.
func tensors(at int64) string {
	var b writer
	n := b.node("n", "Placeholder", "", "dtype", long)
	q, r := b.queue("q", -1), b.queue("r", 2)
	zero := b.number("zero", 0, "")
	one := b.loop("one", n, zero, []string{q, r}, func(i, v string, q []string) string {
		is := b.binary("Equal", "one/is", i, b.number("one/at", at, "^"+i))
		b.node("one/choose", "Switch", i+" "+is, "T", long)
		axis := b.node("one/axis", "Const", "^one/there", "dtype", "DT_INT32", "value", "Tensor<type: int32 shape: [] values: 0>")
		there := b.node("one/there", "Identity", "one/choose:1", "T", long)
		vector := b.node("one/vector", "ExpandDims", there+" "+axis, "T", long, "Tdim", "DT_INT32")
		x := b.node("one/x", "Merge", "one/choose "+vector, "T", long, "N", "2")
		sent := b.put("one/put", q[0], x)
		return b.node("one/after", "Identity", v+" ^"+b.put("one/more", q[1], x, "^"+sent), "T", long)
	})
	other := b.loop("other", n, zero, []string{q, r}, func(i, v string, q []string) string {
		x := b.take("other/take", q[0], "^"+i)
		small := b.binary("Less", "other/small", b.binary("FloorMod", "other/mod", i, b.number("other/three", 3, "^"+i)), "other/one")
		b.node("other/choose", "Switch", v+" "+small, "T", long)
		twice := b.binary("AddV2", "other/twice", "other/choose:1", b.take("other/more", q[1], "^other/yes"))
		b.node("other/yes", "Identity", "other/choose:1 ^"+x, "T", long)
		b.node("other/no", "Identity", "other/choose ^"+x, "T", long)
		b.take("other/also", q[1], "^other/no")
		once := b.node("other/once", "Identity", "other/choose ^other/also", "T", long)
		sum := b.node("other/sum", "Merge", once+" "+twice, "T", long, "N", "2")
		return b.binary("AddV2", "other/both", b.binary("AddV2", "other/square", sum, b.binary("Mul", "other/mul", x, i)), x)
	})
	b.node("answer", "Identity", other+" ^"+one, "T", long)
	return b.String()
}

// TestLoopsThatWaitForTensors has loops take numbers, and a vector among them: what was taken for
// a number, and what was made of it, goes on as a tensor.
func TestLoopsThatWaitForTensors(t *testing.T) {
	for _, at := range []int64{-1, 0, 1, 4, 9} {
		text := tensors(at)
		p := compiled(t, text, []string{"n"}, "answer")
		if plan := p.Plan(); plan.Units() != 2 {
			t.Fatalf("%d loops are units:\n%v", plan.Units(), plan)
		}
		for _, n := range []int64{0, 5, 10} {
			want := int64(0)
			for i := range n {
				want += i*i + i
				if i%3 == 0 {
					want += i
				}
			}
			rank := 0
			if at >= 0 && at < n {
				rank = 1
			}
			for _, e := range engines(t, 2) {
				for range 3 {
					got, err := run(t.Context(), e, p, tensor.Scalar(n))
					if err != nil {
						t.Fatalf("%d of %d on %s: %v", at, n, e.label, err)
					}
					if v := tensor.At0[int64](&got[0]); v != want || got[0].Rank() != rank {
						t.Errorf("%d of %d on %s: %d of rank %d, want %d of rank %d", at, n, e.label, v, got[0].Rank(), want, rank)
					}
				}
				if used := e.budget.Used(); used > 1<<16 {
					t.Fatalf("%d of %d on %s: %d bytes are left", at, n, e.label, used)
				}
			}
		}
	}
}

// TestLoopsTakeTurns runs a loop that never waits and others that take what it puts into queues
// without a bound: the queues stay short, as the first lets the other have its turns.
func TestLoopsTakeTurns(t *testing.T) {
	budget := tensor.NewBudget(64 << 10)
	e := actors.New(actors.Config{Budget: budget})
	defer e.Close()
	for _, text := range []string{buffer(1, -1), fan(4)} {
		p := compiled(t, text, []string{"n"}, "answer")
		s := newStep(t.Context())
		s.Resources.Budget = budget
		const n = 20_000
		fetched := make([]tensor.Value, 1)
		if err := e.Run(s, p, []tensor.Value{tensor.Scalar(int64(n))}, fetched); err != nil {
			t.Fatal(err)
		}
		if v := tensor.At0[int64](&fetched[0]); v != n*(n-1)/2 {
			t.Errorf("the sum is %d", v)
		}
	}
}

// TestLoopsThatWaitForever ends steps whose loops wait for what never comes: the report
// has each that waits, and its iteration.
func TestLoopsThatWaitForever(t *testing.T) {
	var b writer
	q, never := b.queue("q", 1), b.queue("never", 1)
	n, zero := b.number("n", 10, ""), b.number("zero", 0, "")
	one := b.loop("one", n, zero, []string{q}, func(i, v string, q []string) string {
		return b.node("one/after", "Identity", i+" ^"+b.put("one/put", q[0], i), "T", long)
	})
	other := b.loop("other", n, zero, []string{q, never}, func(i, v string, q []string) string {
		return b.take("other/never", q[1], "^"+b.take("other/take", q[0], "^"+i))
	})
	b.node("answer", "Identity", one+" ^"+other, "T", long)
	p := compiled(t, b.String(), nil, "answer")
	for _, e := range engines(t, 0) {
		if e.label == "messages" || e.label == "sequential" {
			continue
		}
		for range 3 {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			_, err := run(ctx, e, p)
			cancel()
			var bad *status.Error
			if !errors.As(err, &bad) || bad.Code != status.DeadlineExceeded || bad.Report == nil {
				t.Fatalf("%s: %v", e.label, err)
			}
			list := strings.Join(bad.Report.Kernels, "\n")
			for _, want := range []string{`"one/put" (QueueEnqueueV2) at one[2]`, `"other/never" (QueueDequeueV2) at other[0]`} {
				if !strings.Contains(list, want) {
					t.Errorf("%s: %q is not in\n%s", e.label, want, list)
				}
			}
		}
	}
}

// TestLoopWaitsFails compares the errors of loops that wait with those of tokens.
func TestLoopWaitsFails(t *testing.T) {
	var b writer
	q := b.queue("q", -1)
	n, zero := b.number("n", 10, ""), b.number("zero", 0, "")
	put := b.loop("put", b.number("few", 4, ""), zero, []string{q}, func(i, v string, q []string) string {
		return b.node("put/after", "Identity", i+" ^"+b.put("put/put", q[0], i), "T", long)
	})
	b.node("close", "QueueCloseV2", "q ^"+put)
	take := b.loop("take", n, zero, []string{q}, func(i, v string, q []string) string {
		return b.binary("AddV2", "take/sum", v, b.take("take/take", q[0], "^"+i))
	})
	b.node("answer", "Identity", take+" ^close", "T", long)
	p := compiled(t, b.String(), nil, "answer")
	want := ""
	for _, e := range engines(t, 2) {
		_, err := run(t.Context(), e, p)
		var bad *status.Error
		if !errors.As(err, &bad) || bad.Code != status.OutOfRange {
			t.Fatalf("%s: %v", e.label, err)
		}
		if got := fmt.Sprint(bad.Node, " ", bad.Op, " ", bad.Tag); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%s: %q, want %q", e.label, got, want)
		}
	}
}

// BenchmarkLoopsThatWait measures a message between two loops.
func BenchmarkLoopsThatWait(b *testing.B) {
	for _, c := range []struct{ name, text string }{{"ping-pong", pingPong()}, {"counting", buffer(1, -1)}, {"buffer", buffer(4, 16)}, {"philosophers", philosophers(5)}, {"filters", filters(10)}, {"many queues", fan(16)}} {
		p := compiled(b, c.text, []string{"n"}, "answer")
		for _, e := range engines(b, 0) {
			if e.label != "actors" && e.label != "tokens" {
				continue
			}
			b.Run(c.name+"/"+e.label, func(b *testing.B) {
				const n = 1000
				fetched := make([]tensor.Value, 1)
				s := newStep(context.Background())
				r := e.Engine.(interface {
					NewRunner(*nodes.Program) nodes.Runner
				}).NewRunner(p)
				for range b.N {
					if err := r.Run(s, []tensor.Value{tensor.Scalar(int64(n))}, fetched); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestLoopsOfSeveralSteps moves numbers from queue to queue by loops of steps that run at the
// same time, of which those in between are cancelled again and again. No number comes twice,
// and for each step that was cancelled at most one is lost: that which it had
// taken and not put.
func TestLoopsOfSeveralSteps(t *testing.T) {
	shared := func(b *writer, name string, capacity int) string {
		return b.node(name, "FIFOQueueV2", "", "component_types", "[DT_INT64]", "capacity", fmt.Sprint(capacity), "shared_name", fmt.Sprintf("%q", name))
	}
	const total = 300
	var feed, move writer
	q := shared(&feed, "first", 3)
	fed := feed.loop("feed", feed.number("n", total, ""), feed.number("zero", 0, ""), []string{q}, func(i, v string, q []string) string {
		return feed.node("feed/after", "Identity", i+" ^"+feed.put("feed/put", q[0], i), "T", long)
	})
	feed.node("ended", "Identity", fed, "T", long)
	from, to := shared(&move, "first", 3), shared(&move, "second", 2)
	move.node("moved", "Identity", move.loop("move", move.number("n", 1<<30, ""), move.number("zero", 0, ""), []string{from, to}, func(i, v string, q []string) string {
		x := move.take("move/take", q[0], "^"+i)
		return move.node("move/after", "Identity", x+" ^"+move.put("move/put", q[1], x), "T", long)
	}), "T", long)

	for _, e := range engines(t, 0) {
		if e.label == "messages" || e.label == "sequential" { // as slow as it takes others to find out
			continue
		}
		resources := resource.NewManager()
		resources.Budget = e.budget
		step := func(ctx context.Context, p *nodes.Program) error {
			s := newStep(ctx)
			s.Resources = resources
			return e.Run(s, p, nil, make([]tensor.Value, 1))
		}
		feeding, moving := compiled(t, feed.String(), nil, "ended"), compiled(t, move.String(), nil, "moved")
		var all sync.WaitGroup
		var fed atomic.Bool
		all.Go(func() {
			if err := step(t.Context(), feeding); err != nil {
				t.Error(err)
			}
			fed.Store(true)
		})
		done := make(chan struct{})
		var cancelled atomic.Int64
		for k := range 2 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(uint64(k), 0))
				for over := false; !over; {
					ctx, cancel := context.WithCancel(t.Context())
					go func() {
						for range r.IntN(1 << r.IntN(12)) {
							runtime.Gosched()
						}
						cancel()
					}()
					if err := step(ctx, moving); status.CodeOf(err) != status.Canceled {
						t.Errorf("%s: %v", e.label, err)
						over = true
					}
					cancelled.Add(1)
					select {
					case <-done:
						over = true
					default:
					}
				}
			})
		}
		seen := map[int64]bool{}
		drain := func(name string) (empty bool) {
			q, err := resource.Lookup[*resource.Queue](resources, "", name)
			if err != nil {
				return true
			}
			got, ok := q.TryDequeue()
			if !ok {
				return q.Len() == 0
			}
			v := tensor.At0[int64](&got.Elements[0])
			if seen[v] {
				t.Errorf("%s: %d came twice", e.label, v)
			}
			seen[v] = true
			return false
		}
		for !fed.Load() || len(seen)+int(cancelled.Load()) < total {
			if drain("second") {
				runtime.Gosched()
			}
		}
		close(done)
		all.Wait()
		for !drain("second") || !drain("first") {
		}
		if lost := total - int64(len(seen)); lost > cancelled.Load() {
			t.Errorf("%s: %d of %d numbers are lost, by %d steps that were cancelled", e.label, lost, total, cancelled.Load())
		}
	}
}
