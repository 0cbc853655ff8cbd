package streams

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
)

// Launch is an execution of code.
type Launch struct {
	launch devices.Launch // with the device's own buffers
	memory []*Memory      // of the arguments, nil for numbers
}

// Copy moves bytes, with a buffer of the host's at one end at most.
type Copy struct {
	to, from devices.Buffer
	dst, src *Memory // nil for the host
	bytes    int64
}

// name is what a copy is called.
func (m *Copy) name() string {
	switch {
	case m.src == nil:
		return "write"
	case m.dst == nil:
		return "read"
	}
	return "copy"
}

// Record makes an event happen here.
type Record struct{ event *event }

// Wait keeps what comes later back until the event is done.
type Wait struct{ event *event }

// After has do called once: with nil when all before it is done, or with what went
// wrong. It must not wait.
type After struct {
	place stream.Place
	known [stream.Kinds]uint64 // what the stream comes after, there
	read  *Memory              // whose fault is do's
	do    func(error)
}

// Recorded tells a stream that an event it asked for has been recorded.
type Recorded struct{ event *event }

// Failed tells the device's actor that an incarnation has ended.
type Failed struct {
	incarnation *incarnation
	err         error
}
