package simulation

import (
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/status"
)

// TestLeft has worker 2 send a tensor on a connection that worker 1 has left for a new one, of
// which worker 2 has not heard: the step ends with an error, also where worker 2 has ended its
// part of it before, and its registration was given up meanwhile.
func TestLeft(t *testing.T) {
	const master, one, two = protocol.Peer(0), protocol.Peer(1), protocol.Peer(2)
	config := protocol.Config{Patience: 8, Window: 1 << 20}
	m := protocol.NewMaster(7, config)
	workers := map[protocol.Peer]*protocol.Worker{one: protocol.NewWorker(8, one, config), two: protocol.NewWorker(9, two, config)}
	m.Open(1)
	m.Add(1, 1, []protocol.Part{
		{Worker: one, Peers: []protocol.Peer{two}, Value: "takes"},
		{Worker: two, Peers: []protocol.Peer{one}, Value: "gives"},
	})

	type packet struct {
		from, to protocol.Peer
		protocol.Packet
	}
	var (
		conn    protocol.Conn // the first one of the workers
		held    []packet
		hold    = func(packet) bool { return false }
		running []protocol.StepID // of worker 1
		replies = map[uint64]error{}
		act     func(at protocol.Peer, out *protocol.Outbox)
	)
	deliver := func(p packet) {
		if hold(p) {
			held = append(held, p)
			return
		}
		if p.Kind == protocol.Challenge && p.from == two && p.to == one && conn.Accept == 0 {
			conn = p.Conn
		}
		var out protocol.Outbox
		if p.to == master {
			m.Receive(p.from, p.Packet, &out)
		} else {
			workers[p.to].Receive(p.from, p.Packet, &out)
		}
		act(p.to, &out)
	}
	act = func(at protocol.Peer, out *protocol.Outbox) {
		w := workers[at]
		for _, e := range out.Effects {
			var next protocol.Outbox
			switch e.Kind {
			case protocol.Reply:
				replies[e.Request] = e.Err
			case protocol.Compile:
				w.Compiled(e.Step.SessionID, e.Handle, nil, &next)
			case protocol.Start:
				if at == one {
					running = append(running, e.Step)
					_ = w.Wanted(e.Step, two, "key", &next)
					break
				}
				_ = w.Produced(e.Step, one, "key", "value", 4, &next)
				w.Finished(e.Step, nil, nil, &next)
			case protocol.Deliver, protocol.Stop:
				w.Finished(e.Step, nil, nil, &next)
			}
			act(at, &next)
		}
		for _, s := range out.Sent {
			deliver(packet{at, s.To, s.Packet})
		}
	}
	beat := func() {
		var out protocol.Outbox
		m.Beat(&out)
		act(master, &out)
		for _, at := range []protocol.Peer{one, two} {
			var out protocol.Outbox
			workers[at].Beat(&out)
			act(at, &out)
		}
	}
	ask := func(request uint64) {
		var out protocol.Outbox
		m.Run(request, 1, 1, []any{nil, nil}, &out)
		act(master, &out)
	}

	ask(1)
	for range 3 {
		beat()
	}
	if err, ok := replies[1]; !ok || err != nil {
		t.Fatalf("before: %v, %v", ok, err)
	}

	// Worker 1 dials again, and worker 2 does not hear that its answer has come.
	hold = func(p packet) bool {
		return p.from == one && p.to == two && (p.Kind == protocol.Beat || p.Kind == protocol.Reset)
	}
	deliver(packet{two, one, protocol.Packet{Kind: protocol.Reset, Conn: conn}})
	beat()
	running = nil
	ask(2)
	ask(3)
	if len(running) != 2 || len(replies) != 1 {
		t.Fatalf("%d parts run, %d replies", len(running), len(replies))
	}
	// A part that fails voids the registrations, and then the connection is reset.
	var out protocol.Outbox
	workers[one].Finished(running[1], nil, status.Errorf(status.Unavailable, "a part failed"), &out)
	act(one, &out)
	hold = func(packet) bool { return false }
	for _, p := range held {
		deliver(p)
	}
	for range 4 * config.Patience {
		beat()
	}
	for request := uint64(2); request <= 3; request++ {
		if err, ok := replies[request]; !ok || status.CodeOf(err) != status.Unavailable {
			t.Errorf("after: request %d: answered %v, %v", request, ok, err)
		}
	}
	ask(4)
	for range 3 {
		beat()
	}
	if err, ok := replies[4]; !ok || err != nil {
		t.Errorf("after: request 4: answered %v, %v", ok, err)
	}
}
