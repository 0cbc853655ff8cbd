package profile

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteTrace writes the events in the trace event format, JSON that Perfetto
// (ui.perfetto.dev) and Chrome (chrome://tracing) show: a complete event for each
// activation and for each play of a unit, on the track of its thread. Activations of
// which nobody knows the thread share as few tracks as they need. Each accelerator is a
// process of its own, with a track for each of its streams.
//
// The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
func (s *Stats) WriteTrace(w io.Writer) error {
	out := bufio.NewWriter(w)
	t := tracer{w: out, tracks: map[int]int{}}
	fmt.Fprintf(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"begin\":%q},\"traceEvents\":[", s.Begin.UTC().Format("2006-01-02T15:04:05.000000000Z"))
	t.write(traceEvent{Name: "process_name", Phase: "M", Args: map[string]any{"name": "step"}})
	for _, u := range s.Units {
		name := "unit " + u.Frame
		if u.Frame == "" {
			name = "program as one unit"
		}
		for _, x := range u.Spans {
			t.write(t.complete(name, "unit", x.Thread, x.Begin, x.End, map[string]any{"plays": u.Runs}))
		}
	}
	free := spread(s.Events)
	for i, e := range s.Events {
		n := &s.Nodes[e.Node]
		args := map[string]any{"node": n.Name}
		if n.Frame != "" {
			args["frame"], args["iteration"], args["count"] = n.Frame, e.Iteration, n.Count
		}
		if n.Function != "" {
			args["function"] = n.Function
		}
		if e.Bytes > 0 {
			args["bytes"] = e.Bytes
		}
		thread := e.Thread
		if thread == Elsewhere {
			thread = free[i]
		}
		t.write(t.complete(n.Op, "op", thread, e.Begin, e.End, args))
	}
	for _, thread := range t.order {
		id := t.tracks[thread]
		t.write(traceEvent{Name: "thread_name", Phase: "M", Thread: id, Args: map[string]any{"name": threadName(thread)}})
		t.write(traceEvent{Name: "thread_sort_index", Phase: "M", Thread: id, Args: map[string]any{"sort_index": thread}})
	}
	t.works(s.Works)
	out.WriteString("\n]}\n")
	if t.err != nil {
		return t.err
	}
	return out.Flush()
}

// works writes the works of accelerators.
func (t *tracer) works(works []Work) {
	processes, streams := map[string]int{}, map[[2]string]int{}
	for _, x := range works {
		process, ok := processes[x.Device]
		if !ok {
			process = hostProcess + 1 + len(processes)
			processes[x.Device] = process
			t.write(traceEvent{Name: "process_name", Phase: "M", Process: process, Args: map[string]any{"name": x.Device}})
		}
		key := [2]string{x.Device, x.Stream}
		id, ok := streams[key]
		if !ok {
			id = len(streams) + 1
			streams[key] = id
			t.write(traceEvent{Name: "thread_name", Phase: "M", Process: process, Thread: id, Args: map[string]any{"name": x.Stream}})
		}
		e := traceEvent{Name: x.Name, Category: "work", Phase: "X", Time: micros(x.Begin), Duration: micros(x.End - x.Begin), Process: process, Thread: id}
		if x.Bytes > 0 {
			e.Args = map[string]any{"bytes": x.Bytes}
		}
		t.write(e)
	}
}

// hostProcess is the process of the step itself: 0 is the idle process to those who show
// traces.
const hostProcess = 1

// elsewhere0 is where the tracks of unknown threads are numbered from.
const elsewhere0 = 1 << 20

// threadName returns what people call a thread.
func threadName(thread int) string {
	switch {
	case thread == 0:
		return "driver"
	case thread >= elsewhere0:
		return "elsewhere " + strconv.Itoa(thread-elsewhere0+1)
	case thread >= Worker0:
		return "worker " + strconv.Itoa(thread-Worker0)
	}
	return "function " + strconv.Itoa(thread)
}

// spread returns events of unknown threads tracks on which they do not overlap.
func spread(events []Event) map[int]int {
	tracks := map[int]int{}
	var ends []int64 // by track
	for i, e := range events {
		if e.Thread != Elsewhere {
			continue
		}
		k := slices.IndexFunc(ends, func(end int64) bool { return end <= e.Begin })
		if k < 0 {
			k = len(ends)
			ends = append(ends, 0)
		}
		ends[k] = e.End
		tracks[i] = elsewhere0 + k
	}
	return tracks
}

// A traceEvent is one event of the format. Times are microseconds.
type traceEvent struct {
	Name     string         `json:"name"`
	Category string         `json:"cat,omitempty"`
	Phase    string         `json:"ph"`
	Time     json.Number    `json:"ts,omitempty"`
	Duration json.Number    `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	Args     map[string]any `json:"args,omitempty"`
}

type tracer struct {
	w      *bufio.Writer
	tracks map[int]int // of threads: from 1
	order  []int       // threads
	some   bool
	err    error
}

// complete returns an event that has begun and ended.
func (t *tracer) complete(name, category string, thread int, begin, end int64, args map[string]any) traceEvent {
	id, ok := t.tracks[thread]
	if !ok {
		id = len(t.order) + 1
		t.tracks[thread] = id
		t.order = append(t.order, thread)
	}
	return traceEvent{Name: name, Category: category, Phase: "X", Time: micros(begin), Duration: micros(end - begin), Thread: id, Args: args}
}

func (t *tracer) write(e traceEvent) {
	e.Process = max(e.Process, hostProcess)
	b, err := json.Marshal(e)
	t.err = cmp.Or(t.err, err)
	if t.some {
		t.w.WriteByte(',')
	}
	t.some = true
	t.w.WriteByte('\n')
	t.w.Write(b)
}

// micros is nanoseconds in microseconds, exactly.
func micros(nanos int64) json.Number {
	return json.Number(strconv.FormatInt(nanos/1000, 10) + "." + fmt.Sprintf("%03d", nanos%1000))
}
