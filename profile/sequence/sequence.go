// Package sequence renders runs of the engine "messages" as message sequences to step
// through: sender, receiver, frame and iteration of every message.
//
// A [Recording] is put into the context of a run, as net/http/httptrace does it with
// what watches a request:
//
//	r := &sequence.Recording{}
//	values, err := session.RunContext(sequence.Record(ctx, r), feeds, fetches, nil)
//	err = r.WritePage(file, "my model")
//
// It keeps one step, the last that began while no other was being recorded: not those
// of functions that the step calls. A step is turns of actors. In each an actor takes a
// message, or several that wait for it, does something, and sends messages. Of values it
// keeps the text of small ones and no value, so that recording changes nothing of
// who owns what. It keeps a bounded number of messages and counts the others.
//
// Steps of "messages:N" are the same each time, and so are their recordings; in those of
// "messages" kernels that run on other goroutines may end in another order.
package sequence

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// Most is how many messages a recording keeps where it does not say otherwise.
const Most = 20_000

// A Recording records a step.
type Recording struct {
	Most int // messages that are kept; 0: the constant Most

	mu     sync.Mutex
	busy   bool
	others int
	step   *Step
}

type contextKey struct{}

// Record returns a context whose run r records.
func Record(ctx context.Context, r *Recording) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// Begin is for engines: it begins to record a step of p, if the context has a Recording
// which is not recording another one; else it answers nil.
func Begin(ctx context.Context, engine string, p profile.Program) *Step {
	r, _ := ctx.Value(contextKey{}).(*Recording)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		r.others++
		return nil
	}
	r.busy, r.others = true, 0
	r.step = &Step{Engine: engine, Nodes: p.Describe(), recording: r, most: cmp.Or(r.Most, Most), iterations: map[string]int32{}}
	return r.step
}

// Step returns the step that was recorded, which has ended; nil if there is none. others is
// how many steps ran within it, of functions that it calls, and are not recorded.
func (r *Recording) Step() (s *Step, others int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy {
		return nil, 0
	}
	return r.step, r.others
}

// A Step is a step that was recorded. While it is, one goroutine has it.
type Step struct {
	Engine     string
	Nodes      []profile.Node // of the program
	Actors     []Actor        // in the order in which they were spoken of first
	Turns      []Turn
	Messages   []Message
	Iterations []string // "" outside of loops, or "outer[2]/inner[0]"
	Left       int      // messages that were sent after those that are kept
	Error      string   // of the step

	recording  *Recording
	most       int
	iterations map[string]int32
}

// An Actor is one of a step.
type Actor struct {
	Role Role
	Name string
	Node int32 // of a node: its number
}

// A Role is what an actor is.
type Role uint8

// The actors of a step.
const (
	TheStep Role = iota
	AFrame
	ANode
)

// A Turn is what an actor does when it is sent something.
type Turn struct {
	Actor int32
	Did   string // "acted", "dead" or another word; "" if it waits for more
}

// A Message is one that was sent.
type Message struct {
	Sent, Received int32 // turns; Taken is -1 if nobody has taken it
	To             int32 // the actor
	Verb           string
	Dead           bool
	Node, Slot     int32 // the node it is about, -1 for none, and the input, -1 for a control edge
	Iteration      int32 // index into Iterations
	Credit         string
	Text           string // what it carries: type, shape and elements of a small value, or news
}

// Turn begins a turn. What is sent and done from now on is in it.
func (s *Step) Turn(actor int32) {
	if s.Left == 0 {
		s.Turns = append(s.Turns, Turn{Actor: actor})
	}
}

// Took says that in this turn the actor has taken the message of that serial number; 0 is
// none.
func (s *Step) Took(serial uint32) {
	if s.Left == 0 && serial > 0 {
		s.Messages[serial-1].Received = int32(len(s.Turns) - 1)
	}
}

// Did says what the actor has done, if nothing else has been said of this turn.
func (s *Step) Did(what string) {
	if t := &s.Turns[len(s.Turns)-1]; s.Left == 0 && t.Did == "" {
		t.Did = what
	}
}

// Send records a message, whose turns it sets, and answers its serial number, 0 if it
// is not kept.
func (s *Step) Send(m Message) uint32 {
	if len(s.Messages) >= s.most {
		s.Left++
		return 0
	}
	m.Sent, m.Received = int32(len(s.Turns)-1), -1
	s.Messages = append(s.Messages, m)
	return uint32(len(s.Messages))
}

// Iteration returns the index of an iteration's name.
func (s *Step) Iteration(name string) int32 {
	i, ok := s.iterations[name]
	if !ok {
		i = int32(len(s.Iterations))
		s.iterations[name] = i
		s.Iterations = append(s.Iterations, name)
	}
	return i
}

// Add adds an actor.
func (s *Step) Add(a Actor) int32 {
	s.Actors = append(s.Actors, a)
	return int32(len(s.Actors) - 1)
}

// End ends the recording.
func (s *Step) End(err error) {
	if err != nil {
		s.Error = err.Error()
	}
	s.recording.mu.Lock()
	defer s.recording.mu.Unlock()
	s.recording.busy = false
}

const (
	mostElements = 8
	mostBytes    = 1 << 10
	mostText     = 60
)

// Text returns a value's type and shape, and the elements if they are few. It leaves the
// value as it is.
func Text(v tensor.Value) string {
	if v.IsZero() {
		return ""
	}
	text := v.DType().String()
	if v.IsRef() {
		return text
	}
	if v.Rank() > 0 {
		var dims []string
		for _, d := range v.Dims() {
			dims = append(dims, tensor.Scalar(d).String())
		}
		text += " [" + strings.Join(dims, ",") + "]"
	}
	if dt := v.DType(); dt == tensor.Resource || dt == tensor.Variant || v.NumElements() > mostElements || dt == tensor.String && v.TotalBytes() > mostBytes {
		return text
	}
	elements := strings.Join(strings.Fields(v.String()), " ")
	if r := []rune(elements); len(r) > mostText {
		elements = string(r[:mostText-1]) + "…"
	}
	return text + " " + elements
}
