package cluster

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/cluster/protocol"
)

// TestAddressesThatPacketsName sends packets from, and with, many addresses: numbers and
// connections of those that are unknown are bounded.
func TestAddressesThatPacketsName(t *testing.T) {
	w, err := NewWorker(WorkerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	far := newShell(0, nil)
	for i := range 2000 {
		p := protocol.Packet{Kind: protocol.Reset}
		if i%2 == 0 {
			p = protocol.Packet{Kind: protocol.Data, Message: protocol.Message{Verb: protocol.Register, Peers: []protocol.Peer{far.peer(fmt.Sprintf("127.0.0.3:%d", i+1))}}}
		}
		w.packetCame(fmt.Sprintf("127.0.0.2:%d", i%10+1), far.appendPacket(0, &p), nil)
		w.packetCame(fmt.Sprintf("127.0.0.4:%d", i+1), far.appendPacket(0, &protocol.Packet{Kind: protocol.Reset}), nil)
	}
	w.names.RLock()
	defer w.names.RUnlock()
	if n := len(w.peers); n > 2*maxRecent || n != len(w.list) {
		t.Errorf("%d addresses have numbers, and %d numbers addresses", n, len(w.list))
	}
}
