package simulation

import "github.com/troupe-go/troupe/cluster/protocol"

// A network carries packets between addresses.
type network struct {
	w     *world
	links map[[2]protocol.Peer]int // how many faults cut this direction
	mute  map[[2]protocol.Peer]int // how many keep messages from passing
	back  map[[2]protocol.Peer]int // how many keep from passing what answers on connections of the other process
}

// cut cuts one direction for a time, or keeps messages from passing.
func (n *network) cut(of map[[2]protocol.Peer]int, from, to protocol.Peer, length Time) {
	k := [2]protocol.Peer{from, to}
	of[k]++
	n.w.at(n.w.now+length, func() { of[k]-- })
}

// send gives a packet to the network.
func (n *network) send(from protocol.Peer, s protocol.Sent) {
	w := n.w
	k := [2]protocol.Peer{from, s.To}
	if s.Packet.Kind == protocol.Echo {
		n.echo(k, s)
		return
	}
	if n.links[k] > 0 || n.mute[k] > 0 && s.Packet.Kind == protocol.Data || w.now < w.s.End && w.chance(w.s.Lost) {
		w.tracef("lost    %s", packetText{from, s})
		return
	}
	times := 1
	if w.chance(w.s.Twice) {
		times = 2
	}
	for range times {
		delay := w.s.Delay/2 + Time(w.rng.Int64N(int64(w.s.Delay)))
		if w.now < w.s.End && w.chance(w.s.Late) {
			delay *= 1 + Time(w.rng.Int64N(60))
		}
		w.at(w.now+delay, func() { w.arrive(from, s) })
	}
}

// arrive delivers a packet to whatever process is at the address now.
func (w *world) arrive(from protocol.Peer, s protocol.Sent) {
	p := w.processes[s.To]
	if p == nil || p.node == nil {
		return
	}
	p.do(func() {
		if w.trace != nil { // boxing each packet is a tenth of a run
			w.tracef("deliver %s", packetText{from, s})
		}
		p.node.Receive(from, s.Packet, &p.out)
	})
}

// echo gives an Echo to the network. It draws of its own, so that what happens to other packets
// does not depend on it.
func (n *network) echo(k [2]protocol.Peer, s protocol.Sent) {
	w := n.w
	if n.links[k] > 0 || n.back[k] > 0 || w.now < w.s.End && w.s.Lost > 0 && w.echoes.IntN(1000) < w.s.Lost {
		w.tracef("lost    %s", packetText{k[0], s})
		return
	}
	w.at(w.now+w.s.Delay/2+Time(w.echoes.Int64N(int64(w.s.Delay))), func() { w.arrive(k[0], s) })
}
