package profile

import (
	"time"

	"github.com/troupe-go/troupe/tensor"
)

const (
	// atFirst is how many activations of each node are timed, whatever they take, and
	// are events.
	atFirst = 8
	// alwaysTimed is the mean, in nanoseconds, from which on every activation is
	// timed; of those that take a part of it, that part: to time one takes about a
	// hundredth.
	alwaysTimed = 8_000
	// mostStride is of how many one is timed at least.
	mostStride = 32
	// maxEvents bounds the events of each meter.
	maxEvents = 1 << 15
)

// A Meter records what one goroutine does of a program, and what others do for
// it and hand back.
type Meter struct {
	// Lane is a number for the goroutine.
	Lane     int
	busy     bool // between Take and Return
	owner    bool // of the lane
	recorder *Recorder
	program  Program
	counters []counter
	events   []Event
	units    []Unit
	dropped  int64
	runs     int64    // for which it was taken
	random   uint32   // decides what is timed next
	outs     []Output // room for those of counters
	dims     []int64  // room for their shapes
}

// A counter is what is known of one node.
type counter struct {
	count, timed int64 // activations
	next         int64 // how many there are before the one that is timed next
	upto         int64 // for how many activations nanos and bytes stand
	nanos, bytes int64
	most         int64 // nanoseconds
	outs         []Output
}

// mean returns the time of an activation.
func (c *counter) mean() int64 {
	if c.upto == 0 {
		return 0
	}
	return c.nanos / c.upto
}

// Recorder returns the recorder of the meter.
func (m *Meter) Recorder() *Recorder { return m.recorder }

// Clock is [Recorder.Clock].
func (m *Meter) Clock() int64 { return m.recorder.Clock() }

// Wants reports whether the next activation of a node is to be timed, and given to
// [Meter.Record]; else [Meter.Count] is all that is needed. ahead is how many have been
// that the meter has not been told of.
func (m *Meter) Wants(node int32, ahead int64) bool {
	c := &m.counters[node]
	return c.count+ahead >= c.next
}

// Count counts n activations that are not timed.
func (m *Meter) Count(node int32, n int64) { m.counters[node].count += n }

// Mean returns the mean time of a node's activations, in nanoseconds; 0 if none was timed.
func (m *Meter) Mean(node int32) int64 { return m.counters[node].mean() }

// A thread that is not the meter's goroutine.
const (
	// Elsewhere is some goroutine, nobody knows which.
	Elsewhere = -1
	// Worker0 is where the workers of the pool are numbered from.
	Worker0 = 1 << 16
)

// Record records one activation: when it began and ended, in which iteration of
// its loop, on which thread (the meter's lane, or [Worker0] and the number of a
// worker, or [Elsewhere]) and what it put out.
func (m *Meter) Record(node int32, begin, end, iteration int64, thread int, outs []tensor.Value) {
	c := &m.counters[node]
	c.count++
	bytes := m.note(c, end-begin, outs)
	switch {
	case m.recorder.sums:
	case c.count > atFirst:
		m.dropped++
	case len(m.events) >= maxEvents:
		m.dropped++
	default:
		if m.events == nil {
			m.events = make([]Event, 0, min(len(m.counters), 64))
		}
		m.events = append(m.events, Event{int(node), thread, begin, end, iteration, bytes})
	}
}

// note adds an activation that took some nanoseconds. It stands for those since the one
// that was timed before it, too.
func (m *Meter) note(c *counter, nanos int64, outs []tensor.Value) (bytes int64) {
	weight := c.count - c.upto
	c.timed++
	c.upto = c.count
	c.nanos += weight * nanos
	c.most = max(c.most, nanos)
	c.next = c.count
	if c.count >= atFirst {
		c.next += m.skip(c.mean())
	}
	if c.outs == nil && len(outs) > 0 {
		c.outs = carve(&m.outs, len(outs), len(m.counters))
	}
	for i := range outs {
		v := &outs[i]
		if v.IsZero() {
			continue
		}
		size := int64(v.SizeBytes())
		bytes += size
		if o := &c.outs[i]; o.Shape == nil || size > o.Bytes {
			o.Type, o.Bytes, o.Shape = v.DType(), size, carve(&m.dims, v.Rank(), 4*len(m.counters))
			copy(o.Shape, v.Dims())
		}
	}
	c.bytes += weight * bytes
	return bytes
}

// skip returns how many activations are not timed before the next one of a node whose
// activations take mean nanoseconds: chosen between half of what is right and one and a
// half times that, so that no habit of the program decides which are seen.
func (m *Meter) skip(mean int64) int64 {
	stride := min(alwaysTimed/max(mean, 1), mostStride)
	if stride <= 1 {
		return 0
	}
	m.random = m.random*1664525 + 1013904223
	return stride/2 + int64(uint64(m.random)*uint64(stride)>>32)
}

// carve takes n elements from the front of some room, of which about all will be
// needed, so that few allocations serve many.
func carve[T any](room *[]T, n, all int) []T {
	if len(*room) < n {
		*room = make([]T, max(n, min(all, 256)))
	}
	part := (*room)[:n:n]
	*room = (*room)[n:]
	return part
}

// Share records activations of several nodes that were timed as one: each has
// the part of the time that its mean is of the means of all. outs is what each put out.
func (m *Meter) Share(nodes []int32, begin, end, iteration int64, outs [][]tensor.Value) {
	total := int64(0)
	for _, n := range nodes {
		total += max(m.Mean(n), 1)
	}
	at := begin
	for i, n := range nodes {
		to := at + (end-begin)*max(m.Mean(n), 1)/total
		m.Record(n, at, to, iteration, m.Lane, outs[i])
		at = to
	}
}

// PlayedUnit records that a unit was played: of a frame, or of the whole program.
func (m *Meter) PlayedUnit(frame string, begin, end int64) {
	for i := range m.units {
		if u := &m.units[i]; u.Frame == frame {
			u.Runs++
			u.Total += time.Duration(end - begin)
			if len(u.Spans) < atFirst {
				u.Spans = append(u.Spans, Span{m.Lane, begin, end})
			}
			return
		}
	}
	m.units = append(m.units, Unit{Frame: frame, Runs: 1, Total: time.Duration(end - begin), Spans: []Span{{m.Lane, begin, end}}})
}
