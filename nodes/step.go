package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/nodes/unit/machine"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Step is one run of a program: a state machine over tokens. It starts no
// goroutine, waits for nothing and reads no clock; whoever drives it decides
// when and where kernels run:
//
//	step := program.Begin(shared, feeds)
//	for {
//		a := step.Next()
//		if a == nil && step.Running() == 0 {
//			break
//		}
//		... run a, somewhere, or wait until one that runs is done ...
//		step.Complete(a, err)
//	}
//	err := step.End(fetched)
//
// A Step is for one goroutine at a time. After End it belongs to the program
// again, which recycles it, unless it was made by [Program.NewStep].
type Step struct {
	p      *Program
	pooled bool // by the program
	frames *frames.Table
	ready  queue
	order  Order // nil: newest first
	poll   func() error
	alarm  *Alarm
	trace  func(Event)
	seen   bool           // there is a trace, a meter or a tape
	meter  *profile.Meter // nil: costs are not recorded
	tape   *tape          // nil: the step is not recorded

	ctx   kernel.Context // of kernels that run on the driver's goroutine
	arena tensor.Arena
	away  awayArena // of kernels that run elsewhere
	out   []tensor.Value

	feeds   []tensor.Value
	results []result
	running int           // activations handed out and not completed
	asyncs  int           // those of them that may wait for something outside
	err     *status.Error // the first error
	current activation    // what Advance is at, for the error of a panic
	handed  []*Activation // those that were handed out and not completed
	held    activation    // what is about to act while the driver is asked
	free    []*Activation
	clock   func() int64
	left    int // kernel runs still to be measured
	runs    int // of this step, recycled

	ownAlarm Alarm       // where the driver lends none
	looks    int         // kernels still to run before the context is watched
	played   int         // nodes played since the last look at the alarm
	unwatch  func() bool // ends watching the context

	depth int // calls of functions that are being played within the step

	// Of units; see unit.
	useUnits bool
	whole    bool // the step is one unit, and is still to be played
	byTokens bool // it is not, as it may be faster
	timed    bool // for the race of the two, begun at began
	began    int64
	derefed  []tensor.Value     // scratch of readRefs
	machines []*machine.Machine // by frame; index 0 for the unit of it all
	env      machine.Env
	measured func(k kernel.Kernel, node int32, in, out []tensor.Value) error // run
	unit     *machine.Machine                                                // running now
	unitAt   *frames.Iteration                                               // where its unit was entered; nil for the unit of it all

	// Of units that can be parked.
	inbox   *Inbox
	parked  []*parked    // that have begun and not ended
	turns   turns        // of them, those that may go on
	woken   []*awaited   // that were served by another parked loop
	turning *parked      // whose turn it is
	spare   [][]*parked  // by frame
	got     []Completion // scratch
	since   int          // tokens since the last turn of a parked loop
}

// A result is what is known of a fetch.
type result struct {
	value tensor.Value
	state fetchState
}

type fetchState uint8

const (
	fetchMissing fetchState = iota
	fetchDead
	fetchLive
)

// An activation is a node that may act in an iteration.
type activation struct {
	it   *frames.Iteration
	node int32
	dead bool
}

// leave ends an activation of iteration it.
func (s *Step) leave(it *frames.Iteration) {
	if it.Outstanding--; it.Outstanding == 0 {
		s.settle(it.Frame)
	}
}

// drop gives up a node's inputs.
func (s *Step) drop(it *frames.Iteration, n *node) {
	in := it.Inputs[n.in : n.in+n.nin]
	for i := range in {
		if !in[i].IsZero() {
			s.arena.Drop(in[i])
			in[i] = tensor.Value{}
		}
	}
}

func (s *Step) giveBack(v tensor.Value) { s.arena.Drop(v) }

// fail notes the first error and lets nothing more start.
func (s *Step) fail(a activation, err error) {
	if s.err == nil {
		e := *status.From(err)
		if e.Node == "" {
			e.Node, e.Op = s.p.name(a.node), s.p.op(a.node)
		}
		if e.Device == "" { // a fused kernel names the node itself
			e.Tag, e.Device = a.it.Tag(), s.p.Device(a.node)
		}
		s.err = &e
		if s.tape != nil {
			s.tape.Fail(s.tape.event)
		}
		if s.ctx.Step.Context.Err() != nil { // which the kernel has heard of before the driver
			s.err = report.Interrupted(&e, s.Report)
		}
	}
	s.ready.clear()
	s.turns.clear()
}

// Abort ends the step with err unless it has failed already: nothing more
// starts. What runs must still be completed. If err says that the step was cancelled,
// passed its deadline or was aborted, the step's error reports what it was doing.
func (s *Step) Abort(err error) {
	if s.err == nil {
		s.err = report.Interrupted(status.From(err), s.Report)
	}
	s.ready.clear()
	s.turns.clear()
}

// Err returns the first error so far.
func (s *Step) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Running returns how many activations were handed out and not completed.
func (s *Step) Running() int { return s.running }

// Ready returns how many nodes may act now.
func (s *Step) Ready() int { return s.ready.len() + s.turns.len() }
