package protocol

// An EffectKind is what a shell is asked to do, or told.
type EffectKind uint8

// The kinds of effects.
const (
	// Compile asks a worker's shell for the program of a part, Effect.Value. It calls
	// [Worker.Compiled].
	Compile EffectKind = iota + 1
	// Release says that a handle is no longer used.
	Release
	// EndSession says that a session has ended, with Effect.Err, after the Releases of its
	// handles: closed if that is CANCELLED, otherwise its master was lost and may come back.
	EndSession
	// Start asks a worker's shell to run the program of a handle with feeds Effect.Value.
	// All steps of the session below Effect.Floor are over.
	// It calls [Worker.Produced] and [Worker.Wanted], and, once, [Worker.Finished].
	Start
	// Deliver gives a running part the tensor Effect.Value that it wanted, and a master's shell
	// what a part has produced for the step of Effect.Request.
	Deliver
	// Stop asks a worker's shell to end a running part with Effect.Err. It still calls
	// [Worker.Finished].
	Stop
	// Drop says that a value is no longer referenced by the protocol.
	Drop
	// Reply is a master's reply to Effect.Request: fetches by part in Effect.Fetches, or Effect.Err.
	Reply
	// Forget says that nothing needs the process at Effect.Peer any more, which is not connected.
	Forget
)

// String returns the name of the constant.
func (k EffectKind) String() string {
	return [...]string{"?", "Compile", "Release", "EndSession", "Start", "Deliver", "Stop", "Drop", "Reply", "Forget"}[k]
}

// An Effect is one thing for the shell to do.
type Effect struct {
	Kind    EffectKind
	Step    StepID
	Handle  uint64
	Key     string
	Value   any
	Err     error
	Floor   uint64
	Request uint64
	Fetches []any
	Peer    Peer
}

// An Outbox collects what a master or a worker does in answer to one call.
type Outbox struct {
	Sent    []Sent
	Effects []Effect
}

// A Sent packet goes to a process.
type Sent struct {
	To     Peer
	Packet Packet
}

// Reset empties the box for the next call.
func (o *Outbox) Reset() {
	clear(o.Sent)
	clear(o.Effects)
	o.Sent, o.Effects = o.Sent[:0], o.Effects[:0]
}

func (o *Outbox) do(e Effect) { o.Effects = append(o.Effects, e) }

// drop releases a value.
func (o *Outbox) drop(v any) {
	if v != nil {
		o.do(Effect{Kind: Drop, Value: v})
	}
}

// flush moves a link's packets to the network.
func (o *Outbox) flush(to Peer, ev *LinkEvent) {
	for _, p := range ev.Packets {
		o.Sent = append(o.Sent, Sent{to, p})
	}
	clear(ev.Packets)
	ev.Packets = ev.Packets[:0]
}
