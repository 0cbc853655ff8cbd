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

// fail records that the launch did not write its memory.
func (m *Launch) fail(err error) {
	m.launch.Works.Failed(err)
	for i, mem := range m.memory {
		if mem != nil && m.launch.Args[i].Access&devices.Writes != 0 {
			mem.fail(err)
		}
	}
}

// Copy moves bytes to or from the stream's device, with a buffer of the host's at one end
// at most.
type Copy struct {
	to, from devices.Buffer
	dst, src *Memory // nil for the host
	bytes    int64
}

// fail records that the copy was not made. Of what is read by the host, the After that
// comes behind the copy tells.
func (m *Copy) fail(err error) {
	if m.dst == nil {
		m.src.fail(err)
		return
	}
	m.dst.fail(err)
}

// name returns what a copy is called.
func (m *Copy) name() string {
	switch {
	case m.src == nil:
		return "write"
	case m.dst == nil:
		return "read"
	case m.src.of != m.dst.of:
		return m.src.of.lends
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
