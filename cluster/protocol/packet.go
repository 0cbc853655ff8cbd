package protocol

// A Conn names one connection of two processes: the incarnation of the one that dialed,
// which of its connections this is, and the same of the one that accepted. Between
// dialing and acceptance the latter two are 0.
type Conn struct {
	Dialer   Incarnation
	Dial     uint64
	Acceptor Incarnation
	Accept   uint64
}

// A PacketKind is what a packet is for.
type PacketKind uint8

// The kinds of packets.
const (
	Hello     PacketKind = iota + 1 // the dialer asks for a connection
	Challenge                       // the acceptor names it
	Data                            // carries a message
	Beat                            // carries nothing but an acknowledgement
	Reset                           // the connection does not exist
	Echo                            // answers a Beat, by the way on which that came
)

// String returns the name of the constant.
func (k PacketKind) String() string {
	return [...]string{"?", "Hello", "Challenge", "Data", "Beat", "Reset", "Echo"}[k]
}

// A Packet is what a link gives to the network.
type Packet struct {
	Kind    PacketKind
	Conn    Conn
	Number  uint64 // of Data: its place among those of the connection, from 1
	Ack     uint64 // of Data and Beat: all messages up to this one have come
	Message Message
}
