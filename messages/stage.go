package messages

import (
	"context"
	"math/rand/v2"
	"runtime/debug"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A stage is where the actors of a program play one step at a time: their
// dispatcher, with their one queue, and the directory of their addresses. It
// knows nothing of the rules.
type stage struct {
	engine  *Engine
	program *nodes.Program
	graph   *protocol.Graph
	broken  bool // an actor has panicked or was stopped, so the stage is not used again
	closing bool // its actors are being stopped

	step    director
	nodes   []node
	spawned int
	seats   []*seat            // by the low half of a frame's address; nil for that outside
	entries map[entry]*seat    // of frames that are not over
	vacant  [][]*seat          // by static frame
	spawns  struct{ a, b any } // what the next actor to be spawned is: actor, mailbox
	props   *actor.Props

	queue  queue
	noted  []*mailbox // frames with notices
	post   post
	mail   []letter
	opened int      // letters of mail that have been handled
	at     envelope // being handled
	batch  notices
	out    protocol.Outbox

	ctx      kernel.Context // of kernels on the goroutine that drives the step
	arena    tensor.Arena
	away     awayArena
	outs     []tensor.Value
	feeds    []tensor.Value
	outer    context.Context
	wakeUp   chan struct{}      // by the pool
	came     func() bool        // whether there is something to read
	cancel   context.CancelFunc // of kernels that run elsewhere; nil if there are none
	running  []*performance
	lent     int // of those, how many the pool has
	free     []*performance
	meter    *profile.Meter
	record   *record    // nil: its messages are not recorded
	tape     *tape      // nil: the step is not recorded
	rng      *rand.Rand // nil: first come, first served
	err      *status.Error
	attended int
}

// attendEvery is how many messages are handled, to nodes without a kernel, between two
// looks at the context.
const attendEvery = 64

func newStage(e *Engine, p *nodes.Program) *stage {
	g := protocol.NewGraph(p.Flow())
	st := &stage{engine: e, program: p, graph: g, nodes: make([]node, len(g.Nodes)), entries: map[entry]*seat{}, vacant: make([][]*seat, len(g.Frames))}
	outs := 0
	for i := range st.nodes {
		st.nodes[i].Spec = &g.Nodes[i]
		st.nodes[i].box = mailbox{stage: st, runs: g.Nodes[i].Kind.Runs(), owner: int32(i)}
		outs = max(outs, len(g.Nodes[i].Out)-1)
	}
	st.outs = make([]tensor.Value, outs)
	st.out.Arena, st.ctx.Arena = &st.arena, &st.arena
	st.arena.Budget, st.away.Budget = e.cfg.Budget, e.cfg.Budget
	st.came = st.post.any
	st.post.bell, st.wakeUp = make(chan struct{}, 1), make(chan struct{}, 1)
	st.seats = []*seat{nil}
	st.props = actor.PropsFromProducer(func() actor.Actor { return st.spawns.a.(actor.Actor) },
		actor.WithMailbox(func() actor.Mailbox { return st.spawns.b.(actor.Mailbox) }))
	st.step.box = mailbox{stage: st, owner: -1}
	st.step.pid = actors.System().Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return &st.step },
		actor.WithMailbox(func() actor.Mailbox { return &st.step.box }), actor.WithSupervisor(supervisor{st})))
	st.read() // that it has started
	return st
}

// spawn makes an actor, a child of the step's.
func (st *stage) spawn(name string, a actor.Actor, b actor.Mailbox) *actor.PID {
	st.spawns.a, st.spawns.b = a, b
	pid, err := st.step.context.SpawnNamed(st.props, name)
	for i := 2; err != nil; i++ { // what is fetched twice has two nodes
		pid, err = st.step.context.SpawnNamed(st.props, name+"#"+strconv.Itoa(i))
	}
	return pid
}

// nodePID returns the address of a node's actor, which is made when somebody sends to
// it for the first time.
func (st *stage) nodePID(i int32) *actor.PID {
	n := &st.nodes[i]
	if n.pid == nil {
		n.pid = st.spawn(st.graph.Flow.Name(i), n, &n.box)
		st.spawned++
	}
	return n.pid
}

// frameAt returns the frame of that address; nil if it is over.
func (st *stage) frameAt(id protocol.FrameID) *seat {
	if i := uint32(id); int(i) < len(st.seats) {
		if f := st.seats[i]; f != nil && f.turn == uint32(id>>32) {
			return f
		}
	}
	return nil
}

// enter returns the frame that a static frame is when entered from there.
func (st *stage) enter(e entry) *seat {
	if f := st.entries[e]; f != nil {
		return f
	}
	var f *seat
	if free := st.vacant[e.frame]; len(free) > 0 {
		f = free[len(free)-1]
		st.vacant[e.frame] = free[:len(free)-1]
	} else {
		f = &seat{}
		f.box = mailbox{stage: st, owner: int32(-1 - len(st.seats))}
		f.ID = protocol.FrameID(len(st.seats))
		f.pid = st.spawn(st.graph.Frames[e.frame].Name+"#"+strconv.Itoa(len(st.seats)), f, &f.box)
		st.seats = append(st.seats, f)
	}
	f.key = e
	f.Begin(st.graph, &st.graph.Frames[e.frame], f.ID, e.from)
	st.entries[e] = f
	return f
}

// leave makes room where a frame is over. Its address is not used again.
func (st *stage) leave(f *seat) {
	delete(st.entries, f.key)
	f.Reset(&st.out)
	f.box.notices = f.box.notices[:0]
	if f.key.frame != 0 { // the root frame is always at the same address
		f.turn++
		f.ID = f.ID&(1<<32-1) | protocol.FrameID(f.turn)<<32
	}
	st.vacant[f.key.frame] = append(st.vacant[f.key.frame], f)
}

// address is whom a message is for; nil if that is a frame which is over.
func (st *stage) address(m *protocol.Message) *actor.PID {
	switch m.Verb {
	case protocol.Arrive, protocol.Retire:
		return st.nodePID(m.Node)
	case protocol.Enter:
		return st.enter(entry{m.Frame, m.Tag}).pid
	case protocol.Fetched:
		return st.step.pid
	}
	if m.Tag.Frame == protocol.Outside {
		return st.step.pid
	}
	if f := st.frameAt(m.Tag.Frame); f != nil {
		return f.pid
	}
	return nil
}

// send sends what an actor has put into the outbox.
func (st *stage) send(ctx actor.Context) {
	if st.record != nil {
		st.record.did(&st.out)
	}
	for i := range st.out.Sent {
		m := &st.out.Sent[i]
		if pid := st.address(m); pid != nil {
			ctx.Send(pid, (*sent)(m))
		}
	}
	if st.out.Fault != nil {
		ctx.Send(st.step.pid, (*fault)(st.out.Fault))
	}
	st.out.Reset()
}

// run plays one step to its end.
func (st *stage) run(shared *kernel.Step, feeds, fetched []tensor.Value) error {
	st.outer = shared.Context
	st.ctx.Step, st.feeds, st.err = shared, feeds, nil
	if st.program.Blocks() { // kernels that wait must hear that the step has failed
		shared.Context, st.cancel = context.WithCancel(st.outer)
	}
	if shared.Profile != nil {
		st.meter = shared.Profile.Take(st.program, -1)
	}
	if st.engine.seeded {
		st.rng = rand.New(rand.NewPCG(st.engine.seed, 0))
	}
	for _, i := range st.graph.Args {
		st.nodes[i].Fed = feeds[st.nodes[i].Aux]
	}
	st.beginRecord()
	st.beginTape()
	st.step.Begin(len(fetched), &st.out)
	st.send(st.step.context)
	for !st.attempt() {
	}
	if st.cancel != nil {
		st.cancel()
		st.cancel = nil
	}
	// What a kernel has failed with may lie in the post still: the next step must not
	// find it there.
	for len(st.running) > 0 || st.err != nil && st.post.any() {
		st.drain()
	}
	err := st.end(fetched)
	st.endRecord(err)
	st.endTape(err)
	shared.Context = st.outer
	st.ctx.Step, st.outer, st.feeds = nil, nil, nil
	return err
}

// attempt handles messages until nothing is left to do, or an actor has panicked,
// which its supervisor is told.
func (st *stage) attempt() (ended bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see files.Mapping
	defer func() {
		if r := recover(); r != nil {
			ended = false
			st.out.Reset()
			clear(st.outs)
			err, ok := r.(error)
			if !ok || !kernel.IsPanic(err) {
				err = kernel.Panicked(r)
			}
			m := st.at.m
			st.at.to.invoker.EscalateFailure(err, &m)
		}
	}()
	for st.err == nil && st.next() {
	}
	return true
}

// next handles one message, and reports whether anything can still happen.
func (st *stage) next() bool {
	if st.post.any() {
		st.read()
		return true
	}
	if st.rng != nil {
		st.shuffle()
	}
	switch {
	case st.err != nil:
		return false
	case st.queue.n > 0:
		st.queue.pop(&st.at)
		if st.attended++; st.attended >= attendEvery || st.at.to.runs {
			st.attended = 0
			if st.cancelled() {
				st.arena.Drop(st.at.m.Value)
				return false
			}
		}
		st.handle()
	case len(st.noted) > 0:
		st.at.to = st.noted[len(st.noted)-1]
		st.noted = st.noted[:len(st.noted)-1]
		st.at.to.noted = false
		st.at.m = protocol.Message{Verb: protocol.Notice}
		st.handle()
	case st.step.Over:
		return false
	case len(st.running) > 0:
		st.wait()
	default:
		st.err = status.Errorf(status.Internal, "messages: credit of the step is lost")
		return false
	}
	return true
}

// shuffle lets chance decide which message arrives next; what frames are told may be
// late or early, too.
func (st *stage) shuffle() {
	if n := len(st.noted); n > 0 && st.rng.IntN(4) == 0 {
		st.queue.push(envelope{st.noted[st.rng.IntN(n)], protocol.Message{Verb: protocol.Notice}})
	}
	if n := st.queue.n; n > 1 {
		st.queue.draw(st.rng.IntN(n))
	}
}

// handle lets an actor handle the message that is at hand.
func (st *stage) handle() {
	b := st.at.to
	if b.suspended {
		st.out.Arena.Drop(st.at.m.Value)
		return
	}
	if st.record != nil {
		st.takes(b, &st.at.m)
	}
	if st.at.m.Verb != protocol.Notice || b == &st.step.box {
		b.invoker.InvokeUserMessage(&st.at.m)
		return
	}
	st.batch.all, b.notices = b.notices, st.batch.all[:0]
	b.invoker.InvokeUserMessage(&st.batch)
}

// read handles letters. It goes on where it was when an actor has panicked.
func (st *stage) read() {
	st.mail = st.post.take(st.mail)
	for st.opened < len(st.mail) {
		l := st.mail[st.opened]
		st.mail[st.opened] = letter{}
		st.opened++
		p, ran := l.message.(*performance)
		switch {
		case ran && !st.ran(p):
		case l.system:
			l.to.system(l.message)
		case !l.to.suspended:
			st.at = envelope{to: l.to, m: protocol.Message{Node: -1}}
			if ran {
				st.at.m.Node, st.at.m.Tag = p.node.Number, p.a.Tag
			}
			if ran && st.record != nil {
				st.takes(l.to, &st.at.m)
				st.record.Did("its kernel has run")
			}
			l.to.invoker.InvokeUserMessage(l.message)
		case ran:
			p.refuse()
			st.release(p)
		}
	}
	st.mail, st.opened = st.mail[:0], 0
}

// cancelled ends the step if its context has ended.
func (st *stage) cancelled() bool {
	err := status.FromContext(st.outer)
	if err != nil && st.err == nil {
		st.err = report.Interrupted(status.From(err), st.report)
	}
	return err != nil
}

// fail notes the first error.
func (st *stage) fail(f *protocol.Failure) {
	if st.err != nil {
		return
	}
	e := *status.From(f.Err)
	if st.tape != nil && f.Node >= 0 {
		st.tape.Fail(st.tape.event)
	}
	if f.Node >= 0 {
		flow := st.graph.Flow
		if e.Node == "" {
			e.Node, e.Op = flow.Name(f.Node), flow.Op(f.Node)
		}
		if e.Device == "" { // a fused kernel names the node itself
			e.Tag, e.Device = st.tag(f.Tag), st.program.Device(int32(f.Node))
		}
	}
	st.err = &e
	if st.outer.Err() != nil { // which the kernel has heard of before the step
		st.err = report.Interrupted(&e, st.report)
	}
}

// stopped is what an actor does that has stopped. Unless the stage stops it the step, if
// there is one, fails: what was sent to the actor is lost.
func (st *stage) stopped(pid *actor.PID, node int32) {
	if st.closing || st.broken {
		return
	}
	st.broken = true
	err := status.Errorf(status.Aborted, "the actor %s was stopped from outside; the step cannot go on without it", pid.Id)
	st.engine.cfg.Log.Error().Str("actor", pid.Id).Msg("an actor was stopped from outside")
	if st.outer != nil {
		st.fail(&protocol.Failure{Node: node, Err: err})
	}
}

// whole reports whether the stage can run a step: whether its actors are all there.
func (st *stage) whole() bool {
	for st.post.any() { // perhaps one was stopped while no step ran
		st.read()
	}
	return !st.broken
}

// end returns the step's answer; it makes all actors as they were before.
func (st *stage) end(fetched []tensor.Value) error {
	err := st.err
	for i := range st.step.Results {
		r := &st.step.Results[i]
		switch {
		case err != nil:
			st.arena.Drop(r.Value)
		case r.Dead:
			err = status.Invalid("Retval[%d] does not have value: the tensor %s was on a branch not taken", i, st.program.Fetches()[i])
		case r.Value.IsZero():
			err = report.Hung(i, st.program.Fetches()[i], st.waiting)
		default:
			fetched[i] = r.Value
			if r.Value.IsRef() { // what a variable shares: looked at now
				fetched[i], _ = r.Value.Cell().Read()
			}
		}
		*r = protocol.Result{}
	}
	if err != nil {
		clear(fetched)
	}
	if st.meter != nil {
		st.meter.Return()
		st.meter = nil
	}
	st.reset()
	if err != nil {
		return err
	}
	return nil
}

// reset gives up all that the step has left.
func (st *stage) reset() {
	st.out.Reset()
	for st.queue.n > 0 {
		st.queue.pop(&st.at)
		st.arena.Drop(st.at.m.Value)
	}
	st.at = envelope{}
	for _, b := range st.noted {
		b.noted = false
	}
	st.noted = st.noted[:0]
	for _, f := range st.seats[1:] {
		if !f.Over {
			st.leave(f)
		}
		f.box.notices = f.box.notices[:0]
	}
	for i := range st.nodes {
		if n := &st.nodes[i]; n.pid != nil {
			n.Reset(&st.out)
			n.Fed = tensor.Value{}
		}
	}
	st.arena.Finish()
	st.away.Finish()
}

// close stops the stage's actors.
func (st *stage) close() {
	for st.post.any() { // a child that has panicked may be about to end
		st.read()
	}
	st.closing = true
	actors.System().Root.Stop(st.step.pid)
	for !st.step.stopped {
		st.read()
	}
}

// tag names an iteration: "outer[2]/inner[0]", "" in the root frame.
func (st *stage) tag(t protocol.Tag) string {
	var way []protocol.Tag
	for f := st.frameAt(t.Frame); f != nil && f.Parent >= 0; f = st.frameAt(t.Frame) {
		way = append(way, t)
		t = f.Around
	}
	var b []byte
	for i := len(way) - 1; i >= 0; i-- {
		if len(b) > 0 {
			b = append(b, '/')
		}
		b = frames.AppendTag(b, st.frameAt(way[i].Frame).Name, way[i].Iter)
	}
	return string(b)
}
