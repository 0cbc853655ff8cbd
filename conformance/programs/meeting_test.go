package programs_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/conformance/programs"
	_ "github.com/troupe-go/troupe/ops/nn"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var meetings = flag.Int("meetings", 0, "run `N` programs in TestMeetings; 0: a number that suits a test")

// TestMeetings has callers of random loops share iterations: they join at iterations that the seed
// chooses, leave, fail, and are cancelled. Each has the results, to the bit, or the error that it
// has alone.
func TestMeetings(t *testing.T) { meet(t, programs.DrawMeeting, 12, 4, false) }

// TestFramedMeetings is TestMeetings with loops of Enter and Exit.
func TestFramedMeetings(t *testing.T) { meet(t, programs.DrawFramedMeeting, 12, 4, false) }

// TestRecursions has callers of random functions that call themselves meet, as TestMeetings has those
// of loops.
func TestRecursions(t *testing.T) { meet(t, programs.DrawRecursion, 5, 12, true) }

// meet runs drawn programs, of which the first input is below a bound, and whose callers are
// cancelled within so many iterations of when they join.
func meet(t *testing.T, draw func(programs.Source) (*programs.Meeting, error), bound int32, within int, recursive bool) {
	n := *meetings
	if n == 0 {
		n = 150
		if testing.Short() {
			n = 20
		}
	}
	var batched, failed, cancelled, shared, alone int
	reasons := map[string]int{}
	for seed := *first; seed < *first+n; seed++ {
		iterations, rows := cellular.Counts()
		m, err := newMeeting(draw, seed, bound, within)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		m.recursive = recursive
		if reason := m.run(t); reason != "" {
			reasons[reason]++
		} else {
			batched++
		}
		alone += int(m.alone.Load())
		for _, c := range m.callers {
			if c.wantErr != nil {
				failed++
			} else if status.CodeOf(c.gotErr) == status.Canceled {
				cancelled++
			}
		}
		if i, r := cellular.Counts(); r-rows > i-iterations {
			shared++
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%v\n%s", seed, m.Body, m.found)
		}
	}
	t.Logf("of %d programs %d were batched, in %d callers shared iterations; %d callers failed, %d were cancelled, %d went on alone; not batched: %v", n, batched, shared, failed, cancelled, alone, reasons)
	if n >= 100 && (batched < n/2 || shared < n/4 || failed == 0 || cancelled == 0) {
		t.Error("that is too few")
	}
}

// A meeting is a program and its callers.
type meeting struct {
	*programs.Meeting
	found   string // what is batched, and why not
	callers []*meetingCaller
	lanes   int
	alone   atomic.Int64 // callers that went on by themselves

	recursive bool
}

type meetingCaller struct {
	args             []*tensor.Tensor
	joins, cancelled int // the iteration; -1: none
	start, ended     chan struct{}
	ctx              context.Context
	cancel           context.CancelFunc
	got, want        []*tensor.Tensor
	gotErr, wantErr  error
}

func newMeeting(draw func(programs.Source) (*programs.Meeting, error), seed int, bound int32, within int) (*meeting, error) {
	rng := rand.New(rand.NewPCG(uint64(seed), 11))
	drawn, err := draw(&script{rng: rng})
	if err != nil {
		return nil, err
	}
	m := &meeting{Meeting: drawn, lanes: 1 + rng.IntN(3)/2}
	for i := range 2 + rng.IntN(9) {
		c := &meetingCaller{joins: rng.IntN(8), cancelled: -1, start: make(chan struct{}), ended: make(chan struct{})}
		if i == 0 {
			c.joins = 0
		} else if rng.IntN(5) == 0 {
			c.cancelled = c.joins + rng.IntN(within)
		}
		for k, of := range m.Inputs {
			size := 1
			dims := make([]int64, len(of.Dims))
			for i, n := range of.Dims {
				if n < 0 { // any
					n = 1 + rng.IntN(8)
				}
				size *= n
				dims[i] = int64(n)
			}
			var a *tensor.Tensor
			var err error
			switch {
			case k == 0:
				a = tensor.FromScalar(rng.Int32N(bound))
			case of.DType == tensor.Int32:
				list := make([]int32, size)
				for i := range list {
					list[i] = rng.Int32N(6)
				}
				a, err = tensor.FromSlice(list, dims...)
			default:
				list := make([]float32, size)
				for i := range list {
					list[i] = float32(rng.IntN(17)-8) / 8
				}
				a, err = tensor.FromSlice(list, dims...)
			}
			if err != nil {
				return nil, err
			}
			c.args = append(c.args, a)
		}
		m.callers = append(m.callers, c)
	}
	return m, nil
}

// run runs the callers alone, and then together, and compares. It returns why they do not meet.
func (m *meeting) run(t *testing.T) (reason string) {
	open := func(o *session.SessionOptions) *session.Callable {
		s, err := session.NewSession(m.Graph, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		c, err := s.MakeCallable(m.Feeds, m.Fetches, nil)
		if err != nil {
			t.Fatalf("%v\n%v", err, m.Body)
		}
		return c
	}
	plain, batched := open(&session.SessionOptions{}), open(&session.SessionOptions{BatchLoops: true})
	var err error
	if m.found, err = batched.Batching(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, text, ok := strings.Cut(m.found, "not batched: "); ok {
		reason, _, _ = strings.Cut(text, "\n")
	}
	for _, c := range m.callers {
		c.want, c.wantErr = plain.Call(t.Context(), c.args...)
	}
	m.together(t, batched)
	for i, c := range m.callers {
		err := c.check()
		if err != nil && m.recursive && m.possible(t, c) {
			err = nil
		}
		if err != nil {
			t.Errorf("caller %d of %d: %v", i, len(m.callers), err)
		}
	}
	return reason
}

// together runs the callers, of which the first is there from the beginning.
func (m *meeting) together(t *testing.T, batched *session.Callable) {
	entered := make(chan struct{}, len(m.callers))
	var mu sync.Mutex
	iteration := 0
	// A caller that does not meet others, or not yet, ends without having entered.
	begin := func(c *meetingCaller) {
		close(c.start)
		select {
		case <-entered:
		case <-c.ended:
		}
	}
	watch := &cellular.Watch{
		Lanes:   m.lanes,
		Alone:   func() { m.alone.Add(1) },
		Entered: func() { entered <- struct{}{} },
		Iterating: func() {
			mu.Lock()
			defer mu.Unlock()
			if iteration == 0 {
				<-entered
			}
			for _, c := range m.callers[1:] {
				if c.joins == iteration {
					begin(c)
				}
				if c.cancelled == iteration {
					c.cancel()
				}
			}
			iteration++
		},
	}
	ctx := cellular.Watched(t.Context(), watch)
	var wg sync.WaitGroup
	for i, c := range m.callers {
		c.ctx, c.cancel = context.WithCancel(ctx)
		defer c.cancel()
		wg.Go(func() {
			defer close(c.ended)
			if i > 0 {
				<-c.start
			}
			c.got, c.gotErr = batched.Call(c.ctx, c.args...)
		})
	}
	<-m.callers[0].ended
	mu.Lock()
	for _, c := range m.callers[1:] { // who has not joined
		if c.joins >= iteration {
			close(c.start)
		}
	}
	iteration = 1 << 20
	mu.Unlock()
	wg.Wait()
}

// possible reports whether the error of a caller is one that the program has in some order. Where
// several calls of a recursion fail, it is that of one of them, and which one is not determined.
// Orders are drawn; in others all nodes wait for the one that failed, whose errors came before it.
func (m *meeting) possible(t *testing.T, c *meetingCaller) bool {
	if c.gotErr == nil || c.wantErr == nil {
		return false
	}
	first, order := status.From(c.gotErr).Node, ""
	for range 20 {
		err := m.fails(t, c, "schedule:"+order)
		if fmt.Sprint(err) == fmt.Sprint(c.gotErr) {
			return true
		}
		if err == nil || status.From(err).Node == first {
			break
		}
		if order != "" {
			order += ","
		}
		order += first + "<" + status.From(err).Node
	}
	for seed := range 200 {
		if fmt.Sprint(m.fails(t, c, fmt.Sprintf("seeded:%d", seed))) == fmt.Sprint(c.gotErr) {
			return true
		}
	}
	return false
}

// fails returns the error of a caller that runs alone on an engine.
func (m *meeting) fails(t *testing.T, c *meetingCaller, engine string) error {
	s, err := session.NewSession(m.Graph, &session.SessionOptions{Engine: engine})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	call, err := s.MakeCallable(m.Feeds, m.Fetches, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = call.Call(t.Context(), c.args...)
	return err
}

// TestPossible: of two calls that both fail either error is possible, in an order that is seldom
// drawn, and no other is.
func TestPossible(t *testing.T) {
	m, err := newMeeting(programs.DrawRecursion, 39, 5, 12)
	if err != nil {
		t.Fatal(err)
	}
	c := m.callers[3]
	c.wantErr = m.fails(t, c, "actors") // index 6, in the function that is called
	for index, possible := range map[int]bool{2: true, 3: false} {
		other := *status.From(c.wantErr)
		other.Node, other.Message = "If/go0/StridedSlice_2", fmt.Sprintf("slice index %d of dimension 0 out of bounds.", index)
		c.gotErr = &other
		if m.possible(t, c) != possible {
			t.Errorf("%v, or\n%v: want %v", c.wantErr, &other, possible)
		}
	}
}

// check compares what the caller has got with what it has got alone.
func (c *meetingCaller) check() error {
	if c.cancelled >= 0 && status.CodeOf(c.gotErr) == status.Canceled {
		return nil
	}
	if c.wantErr != nil || c.gotErr != nil {
		if fmt.Sprint(c.gotErr) != fmt.Sprint(c.wantErr) {
			return fmt.Errorf("error\n%v, not\n%v", c.gotErr, c.wantErr)
		}
		return nil
	}
	for k := range c.want {
		if err := tensor.Compare(c.got[k], c.want[k], tensor.Tolerance{Exact: true}); err != nil {
			return fmt.Errorf("result %d: %v", k, err)
		}
	}
	return nil
}
