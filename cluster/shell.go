package cluster

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/actors/remote"
	"github.com/troupe-go/troupe/cluster/protocol"
)

// A shell drives a core of package cluster/protocol: it gives it what comes from the network
// and the timer, and does what it asks for, in order and by one goroutine at a time, on
// whichever goroutine the event came.
type shell struct {
	self     protocol.Incarnation
	endpoint *remote.Endpoint
	office   office
	log      *zerolog.Logger
	bound    time.Duration
	receive  func(from protocol.Peer, p protocol.Packet, out *protocol.Outbox) // of the core
	beat     func(out *protocol.Outbox)
	perform  func(protocol.Effect)    // never blocks
	knows    func(protocol.Peer) bool // of the core

	mu    sync.Mutex // guards the core, and what follows
	out   protocol.Outbox
	queue []todo
	spare []todo       // memory of an earlier queue
	busy  bool         // a goroutine works on the queue
	reply remote.Reply // of the packet that is the event

	names  sync.RWMutex
	peers  map[string]protocol.Peer
	list   map[protocol.Peer]string // addresses by peer
	last   protocol.Peer
	recent []protocol.Peer   // numbers that packets have made, the latest at the end
	called map[string]string // what errors call addresses

	stop chan struct{}
	done sync.WaitGroup
}

// A todo is a packet to be sent or an effect to be done.
type todo struct {
	sent   protocol.Sent
	effect protocol.Effect // of kind 0: sent counts
	reply  remote.Reply    // of an Echo: the way back; nil: there is none
}

// The periods of the timer within the bound: a worker that is silent is lost after patience
// beats, and after as many again the master no longer waits for the others to stop.
const (
	beatsPerBound = 20
	patience      = 8
	// Window is how many bytes of tensors are on the way from one worker to another.
	tensorWindow = 64 << 20
	// maxSpare bounds the queue whose memory is kept.
	maxSpare     = 1024
	defaultBound = 2 * time.Second
)

// newShell makes a shell; start begins its timer.
func newShell(bound time.Duration, log *zerolog.Logger) *shell {
	if bound <= 0 {
		bound = defaultBound
	}
	if log == nil {
		nop := zerolog.Nop()
		log = &nop
	}
	return &shell{self: newIncarnation(), log: log, bound: bound, peers: map[string]protocol.Peer{}, list: map[protocol.Peer]string{}, called: map[string]string{}, stop: make(chan struct{})}
}

// newIncarnation returns a random number, not 0.
func newIncarnation() protocol.Incarnation {
	var b [8]byte
	rand.Read(b[:])
	return protocol.Incarnation(binary.LittleEndian.Uint64(b[:]) | 1)
}

// config is what all processes agree on.
func (s *shell) config(maxSteps int) protocol.Config {
	return protocol.Config{
		Patience: patience, Window: tensorWindow, MaxSteps: maxSteps, Name: s.name,
		Dials: func(self, other protocol.Peer) bool { return s.address(self) < s.address(other) },
	}
}

// peer returns the number of an address, which is given when it is first asked for. Unless the
// core knows it already, that is within [shell.do], as it would not be forgotten otherwise.
func (s *shell) peer(address string) protocol.Peer {
	s.names.RLock()
	p, ok := s.peers[address]
	s.names.RUnlock()
	if ok {
		return p
	}
	s.names.Lock()
	defer s.names.Unlock()
	if p, ok = s.peers[address]; !ok {
		s.last++
		p = s.last
		s.list[p] = address
		s.peers[address] = p
	}
	return p
}

// known returns the number of an address, if it has one.
func (s *shell) known(address string) (protocol.Peer, bool) {
	s.names.RLock()
	defer s.names.RUnlock()
	p, ok := s.peers[address]
	return p, ok
}

// address returns the address of a number; "" if it has been forgotten.
func (s *shell) address(p protocol.Peer) string {
	s.names.RLock()
	defer s.names.RUnlock()
	return s.list[p]
}

// forget forgets a process that the core has forgotten.
func (s *shell) forget(p protocol.Peer) {
	address := s.address(p)
	s.mu.Lock() // numbers of addresses are looked up under it
	again := s.knows(p)
	if !again {
		s.names.Lock()
		delete(s.peers, address)
		delete(s.list, p)
		delete(s.called, address)
		s.names.Unlock()
	}
	s.mu.Unlock()
	if again {
		return
	}
	s.endpoint.Forget(address)
	s.log.Debug().Str("peer", address).Msg("a process that has ended was forgotten")
}

// name returns what errors call a process: "/job:ps/task:0 at 10.0.0.2:2222".
func (s *shell) name(p protocol.Peer) string { return s.nameOf(s.address(p)) }

func (s *shell) nameOf(address string) string {
	s.names.RLock()
	defer s.names.RUnlock()
	if n := s.called[address]; n != "" {
		return n + " at " + address
	}
	return address
}

// call notes what errors call an address.
func (s *shell) call(address, name string) {
	s.names.Lock()
	defer s.names.Unlock()
	s.called[address] = withoutReplica(name)
}

// packetCame takes a packet of the network.
func (s *shell) packetCame(from string, data []byte, reply remote.Reply) {
	p, peers, err := s.packet(from, data)
	if err != nil {
		s.log.Warn().Str("from", from).Err(err).Msg("a packet was dropped")
		return
	}
	s.do(func(out *protocol.Outbox) {
		last := s.last
		for _, address := range peers {
			p.Message.Peers = append(p.Message.Peers, s.peer(address))
		}
		s.reply = reply
		s.receive(s.peer(from), p, out)
		s.limit(last, out)
	})
}

// maxRecent is how many addresses that packets name have numbers, and connections, though the
// core knows nothing of them: anyone may send any.
const maxRecent = 256

// limit forgets the oldest of such addresses when an event has made numbers above last.
func (s *shell) limit(last protocol.Peer, out *protocol.Outbox) {
	for last++; last <= s.last; last++ {
		s.recent = append(s.recent, last)
	}
	for len(s.recent) > maxRecent {
		if p := s.recent[0]; !s.knows(p) {
			out.Effects = append(out.Effects, protocol.Effect{Kind: protocol.Forget, Peer: p})
		}
		s.recent = s.recent[1:]
	}
}

// do gives the core an event, and does what follows, unless somebody else is about to.
func (s *shell) do(event func(out *protocol.Outbox)) {
	s.mu.Lock()
	event(&s.out)
	for _, p := range s.out.Sent {
		s.queue = append(s.queue, todo{sent: p, reply: s.reply})
	}
	s.reply = nil
	for _, e := range s.out.Effects {
		s.queue = append(s.queue, todo{effect: e})
	}
	s.out.Reset()
	if s.busy {
		s.mu.Unlock()
		return
	}
	s.busy = true
	for len(s.queue) > 0 {
		work := s.queue
		s.queue = s.spare[:0]
		s.mu.Unlock()
		for i := range work {
			if w := &work[i]; w.effect.Kind == 0 {
				s.send(&w.sent, w.reply)
			} else {
				s.perform(w.effect)
			}
		}
		clear(work)
		s.mu.Lock()
		if s.spare = work; cap(work) > maxSpare {
			s.spare = nil
		}
	}
	s.busy = false
	s.mu.Unlock()
}

// send gives a packet to the network: what workers exchange in a step goes on the fast
// stream, all else by Proto.Actor's remote. Beats go on the stream, and their echoes back on
// it: so each process learns whether what it asks for on that connection comes.
func (s *shell) send(p *protocol.Sent, reply remote.Reply) {
	to := s.address(p.To)
	if to == "" {
		return
	}
	data := s.appendPacket(p.To, &p.Packet)
	switch p.Packet.Kind {
	case protocol.Echo:
		if reply != nil {
			reply(data)
		}
		return
	case protocol.Beat:
		s.endpoint.Push(to, data)
		return
	}
	switch p.Packet.Message.Verb {
	case protocol.Tensor, protocol.Offer, protocol.Want, protocol.Credit:
		s.endpoint.Push(to, data)
	default:
		s.endpoint.Post(to, data)
	}
}

// start begins to beat.
func (s *shell) start() {
	s.done.Go(func() {
		t := time.NewTicker(s.bound / beatsPerBound)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				s.do(s.beat)
			case <-s.stop:
				return
			}
		}
	})
}

// end stops beating and closes the endpoint.
func (s *shell) end() error {
	close(s.stop)
	s.done.Wait()
	return s.endpoint.Close()
}
