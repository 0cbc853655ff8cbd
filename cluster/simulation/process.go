package simulation

import (
	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// A node is what a process runs of the protocol.
type node interface {
	Receive(from protocol.Peer, p protocol.Packet, out *protocol.Outbox)
	Beat(out *protocol.Outbox)
}

// A process is at an address. One that has crashed has no node until it starts again.
type process struct {
	w       *world
	at      protocol.Peer
	self    protocol.Incarnation
	node    node
	master  *protocol.Master
	worker  *protocol.Worker
	out     protocol.Outbox
	spare   protocol.Outbox // empty
	hung    int
	later   []func() // what came while it hung
	skew    Time     // of its timer's period
	codes   map[handle]*Part
	parts   map[protocol.StepID]*part
	running int // of parts
}

// A handle is one of a session's.
type handle struct {
	session protocol.SessionID
	number  uint64
}

// A part runs.
type part struct {
	id      protocol.StepID
	code    *Part
	pc      int
	acc     uint64
	wants   string
	stopped bool
	done    bool
}

// start begins a life.
func (p *process) start() {
	w := p.w
	p.self = protocol.Incarnation(w.rng.Uint64() | 1)
	p.skew = period + Time(w.rng.Int64N(int64(period)/2)) - period/4
	p.out, p.spare = protocol.Outbox{}, protocol.Outbox{}
	p.running = 0
	p.codes, p.parts, p.later = map[handle]*Part{}, map[protocol.StepID]*part{}, nil
	if p.at == Master {
		p.master = protocol.NewMaster(p.self, w.s.Config)
		p.node = p.master
		w.begin()
	} else {
		p.worker = protocol.NewWorker(p.self, p.at, w.s.Config)
		p.node = p.worker
	}
	w.tracef("process %d starts as %s", p.at, p.self)
	p.tick()
}

// crash ends a life.
func (p *process) crash() {
	p.w.tracef("process %d crashes", p.at)
	p.node, p.master, p.worker = nil, nil, nil
	p.self = 0
	p.later = nil
	if p.at == Master {
		p.w.masterDied()
	}
}

// tick is the timer of this life.
func (p *process) tick() {
	self := p.self
	var next func()
	next = func() {
		if p.self != self || p.w.ended {
			return
		}
		if p.hung == 0 {
			p.do(func() { p.node.Beat(&p.out) })
		}
		p.w.at(p.w.now+p.skew, next)
	}
	p.w.at(p.w.now+Time(p.w.rng.Int64N(int64(p.skew))), next)
}

// do does something in the process, once it does not hang, and then what follows.
func (p *process) do(f func()) {
	if p.node == nil {
		return
	}
	if p.hung > 0 {
		p.later = append(p.later, f)
		return
	}
	f()
	for len(p.out.Sent) > 0 || len(p.out.Effects) > 0 {
		now := p.out
		p.out, p.spare = p.spare, protocol.Outbox{}
		for _, s := range now.Sent {
			p.w.net.send(p.at, s)
		}
		for _, e := range now.Effects {
			p.effect(e)
		}
		now.Reset()
		p.spare = now
	}
}

// wake ends a hang.
func (p *process) wake() {
	if p.hung--; p.hung > 0 {
		return
	}
	later := p.later
	p.later = nil
	for _, f := range later {
		p.do(f)
	}
}

// after does something in this life, some time later.
func (p *process) after(d Time, f func()) {
	self := p.self
	p.w.at(p.w.now+d, func() {
		if p.self == self {
			p.do(f)
		}
	})
}

// effect does what the protocol asks its shell for.
func (p *process) effect(e protocol.Effect) {
	w := p.w
	switch e.Kind {
	case protocol.Compile:
		code := e.Value.(*Part)
		p.after(Time(w.rng.Int64N(int64(period))), func() {
			p.codes[handle{e.Step.SessionID, e.Handle}] = code
			p.worker.Compiled(e.Step.SessionID, e.Handle, nil, &p.out)
		})
	case protocol.Start:
		if p.parts[e.Step] != nil {
			w.violated("process %d runs step %d twice", p.at, e.Step.Step)
		}
		r := &part{id: e.Step, code: p.codes[handle{e.Step.SessionID, e.Handle}], acc: e.Value.(uint64)}
		p.parts[e.Step] = r
		p.running++
		p.play(r)
	case protocol.Stop:
		if r := p.parts[e.Step]; r != nil && !r.stopped {
			r.stopped = true
			if r.pc < len(r.code.Code) && r.code.Code[r.pc].Op == Stall {
				return // it goes on until the instruction ends
			}
			p.finish(r, status.Errorf(status.Canceled, "stopped"))
		}
	case protocol.Deliver:
		if p.at == Master {
			w.told(e)
			return
		}
		r := p.parts[e.Step]
		if r == nil || r.wants != e.Key {
			w.violated("process %d gets %s of step %d, which it does not want", p.at, e.Key, e.Step.Step)
			return
		}
		r.wants = ""
		p.fetch(r, e.Value.(uint64))
	case protocol.Reply:
		w.reply(e)
	}
}

// fetch takes a tensor that a part has received; a large one once it comes on the connection with
// its sender.
func (p *process) fetch(r *part, v uint64) {
	in := r.code.Code[r.pc]
	if in.Size >= large && p.w.net.back[[2]protocol.Peer{in.Peer, p.at}] > 0 {
		p.after(period/4, func() {
			if !r.done {
				p.fetch(r, v)
			}
		})
		return
	}
	r.acc = mix(r.acc, v)
	r.pc++
	p.play(r)
}

// play runs a part's next instruction, after a while.
func (p *process) play(r *part) {
	w := p.w
	if r.pc == len(r.code.Code) {
		p.finish(r, nil)
		return
	}
	d := Time(w.rng.Int64N(100))
	if r.code.Code[r.pc].Op == Stall {
		d = Time(w.rng.Int64N(int64(w.s.Stall)))
	}
	p.after(d, func() {
		if r.done {
			return
		}
		if r.stopped {
			p.finish(r, status.Errorf(status.Canceled, "stopped"))
			return
		}
		switch in := r.code.Code[r.pc]; in.Op {
		case Recv:
			r.wants = in.Key
			p.worker.Wanted(r.id, in.Peer, in.Key, &p.out)
			return
		case Send:
			p.worker.Produced(r.id, in.Peer, in.Key, r.acc, in.Size, &p.out)
		case Ask:
			r.wants = in.Key
			p.worker.Wanted(r.id, protocol.Owner, in.Key, &p.out)
			return
		case Tell:
			p.worker.Produced(r.id, protocol.Owner, in.Key, r.acc, in.Size, &p.out)
		case Fail:
			p.finish(r, status.Errorf(status.InvalidArgument, "planned"))
			return
		default:
			r.acc = mix(r.acc, 1)
		}
		r.pc++
		p.play(r)
	})
}

// finish ends a part.
func (p *process) finish(r *part, err error) {
	if r.done {
		return
	}
	r.done = true
	p.running--
	if err == nil {
		p.w.ran[ranPart{r.id, p.at}]++
		p.worker.Finished(r.id, r.acc, nil, &p.out)
		return
	}
	p.worker.Finished(r.id, nil, err, &p.out)
}
