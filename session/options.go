package session

import (
	"fmt"
	"runtime"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// SessionOptions says how a session runs its steps. The zero value is a good
// choice.
type SessionOptions struct {
	// Target names the runtime to run on: "" or "local", this process.
	Target string

	// Config is a serialized ConfigProto. Of its fields,
	// intra_op_parallelism_threads, inter_op_parallelism_threads (the larger
	// of the two is Threads), operation_timeout_in_ms (Timeout), device_count (Devices),
	// log_device_placement (LogPlacement) and what graph_options says of rewriting
	// (Rewrite) are heeded unless the option itself is set; the others describe TensorFlow's own
	// runtime and are ignored.
	Config []byte

	// Engine drives the steps: "actors" (also ""), "messages", "messages:N",
	// "seeded:N", "schedule:ORDER" or "sequential"; or "tokens", which is "actors" without playing loops and
	// programs as one unit.
	Engine string

	// Rewrite chooses the passes that change what a run needs of the graph before it
	// runs, once for each choice of feeds, fetches and targets: "" is those that
	// change no bit of any result, nor which error a run fails with; "none" is the
	// graph as it is; "all" also has the passes that may change the last bits of
	// results. A list names passes, as "fold,common", or adds and takes away, as
	// "+batchnorm,-hoist". If it is "", Config may say it: opt_level L0 and
	// disable_meta_optimizer are "none", and the toggles of rewrite_options for
	// constant folding, arithmetic, loops, remapping and common subgraphs are heeded.
	Rewrite string

	// Threads is how many kernels or parts of kernels may run at the same
	// time in the session's pool; 0 is the number of CPUs, 1 leaves all work
	// to the callers.
	Threads int

	// Devices is how many devices of each type the session has: {"CPU": 2}. Types that
	// it does not name have none, except that there always is a CPU. Nodes then run where
	// they ask to, and what they hand each other goes from device to device; nodes that
	// ask for nothing run on the first. CPU devices are names for parts of a graph, and share
	// the session's threads.
	//
	// {"OPENCL": 1} is an accelerator, as are EMULATED and GPU, for programs that import
	// its driver (devices/opencl, devices/emulated, devices/cuda) and its kernels
	// (ops/accelerated). Nodes that have kernels for it go there unless they ask for another
	// device, and their values stay in its memory; fetches come back. A step that it fails
	// under ends with UNAVAILABLE and its name, and the next finds it opened anew.
	//
	// Nil: Config's device_count says it, or else there is CPU:0
	// alone, on which everything runs.
	Devices map[string]int

	// Device is where nodes run that ask for no device, such as "/device:CPU:1"; "" leaves
	// it to placement.
	Device string

	// StrictPlacement refuses a run of which a node asks for a device that is not there, or
	// for another one than what it must be beside, with INVALID_ARGUMENT. Otherwise it
	// runs on the best device that is there, as in TensorFlow with allow_soft_placement.
	StrictPlacement bool

	// LogPlacement tells the Logger where each node of a program was placed. Config's
	// log_device_placement says it, too.
	LogPlacement bool

	// Apart plays what runs on each device as a step of its own, on a goroutine of its
	// own; what crosses goes through a rendezvous, as it does between machines. Otherwise
	// one goroutine plays the devices' parts of a step side by side, and what crosses is
	// handed over, which is faster unless the parts are long and independent.
	Apart bool

	// Seed is the graph-level seed of random operations that have none of
	// their own; 0 takes one from the clock.
	Seed int64

	// MemoryLimit bounds the bytes that the tensors of all running steps and
	// what variables, queues and the like hold between them take together: a
	// step that would pass it fails with RESOURCE_EXHAUSTED.
	// 0 is three quarters of the machine's memory, negative is no limit.
	MemoryLimit int64

	// DeviceMemoryLimit bounds the bytes of the memory of each accelerator that the session
	// takes; 0 is what the device has free. Memory of an accelerator that is the host's own,
	// as of an emulated one or of OpenCL on a CPU, and the host's memory that copies to and
	// from accelerators go through, count towards MemoryLimit too, as long as the session
	// keeps them. Errors at either limit name the node and the device.
	DeviceMemoryLimit int64

	// MaxConcurrentSteps bounds how many steps run at the same time; later
	// ones wait their turn. 0 is no limit.
	MaxConcurrentSteps int

	// Timeout is how long a step may take that has no deadline of its own;
	// 0 is for ever.
	Timeout time.Duration

	// Files says which files the session's graphs may read and write; nil is
	// every regular file that the process may. What is not permitted fails with
	// PERMISSION_DENIED. A graph that others made wants one.
	Files *files.Policy

	// Logger gets the session's lifecycle events, each with the session's name and, of a
	// SavedModel, its folder; nil logs nothing.
	Logger *zerolog.Logger

	// Name is what log lines call the session; "" is "session" and a number.
	Name string
}

// resolve checks the options and fills in what is left open.
func (o *SessionOptions) resolve() (SessionOptions, error) {
	var r SessionOptions
	if o != nil {
		r = *o
	}
	if r.Target != "" && r.Target != "local" {
		return r, status.Errorf(status.Unimplemented, "session target %q: only this process can be run on", r.Target)
	}
	if len(r.Config) > 0 {
		if err := r.heed(r.Config); err != nil {
			return r, err
		}
	}
	switch {
	case r.Threads < 0:
		return r, status.Invalid("%d threads", r.Threads)
	case r.DeviceMemoryLimit < 0:
		return r, status.Invalid("a limit of %d bytes for the memory of devices", r.DeviceMemoryLimit)
	case r.MaxConcurrentSteps < 0:
		return r, status.Invalid("at most %d concurrent steps", r.MaxConcurrentSteps)
	case r.Timeout < 0:
		return r, status.Invalid("a timeout of %v", r.Timeout)
	}
	if err := r.checkDevices(); err != nil {
		return r, err
	}
	if r.Engine == "" {
		r.Engine = "actors"
	}
	if r.Threads == 0 {
		r.Threads = runtime.GOMAXPROCS(0)
	}
	if r.MemoryLimit == 0 {
		r.MemoryLimit = defaultMemoryLimit()
	}
	return r, nil
}

// reading is o with a directory that may be read besides.
func (o *SessionOptions) reading(dir string) *SessionOptions {
	var r SessionOptions
	if o != nil {
		r = *o
	}
	if r.Logger != nil {
		log := r.Logger.With().Str("model", plain.Line(dir)).Logger()
		r.Logger = &log
	}
	if r.Files == nil {
		return &r
	}
	policy := *r.Files
	policy.Read = append([]string{dir}, policy.Read...)
	r.Files = &policy
	return &r
}

// heed takes from a ConfigProto what the options do not say themselves.
func (o *SessionOptions) heed(config []byte) error {
	var c wire.ConfigProto
	if err := proto.Unmarshal(config, &c); err != nil {
		return &status.Error{Code: status.InvalidArgument, Message: fmt.Sprintf("Unparseable ConfigProto: %v", err), Cause: err}
	}
	if o.Threads == 0 {
		o.Threads = int(max(c.GetIntraOpParallelismThreads(), c.GetInterOpParallelismThreads(), 0))
	}
	if o.Devices == nil && len(c.GetDeviceCount()) > 0 {
		o.Devices = map[string]int{}
		for kind, n := range c.GetDeviceCount() {
			if kind == "CPU" || n > 0 { // {"GPU": 0} is how one does without
				o.Devices[kind] = int(n)
			}
		}
	}
	o.LogPlacement = o.LogPlacement || c.GetLogDevicePlacement()
	if o.Timeout == 0 {
		o.Timeout = time.Duration(max(c.GetOperationTimeoutInMs(), 0)) * time.Millisecond
	}
	return nil
}

// RunOptions says how one run goes. The zero value asks for nothing.
type RunOptions struct {
	// Timeout ends the step with DEADLINE_EXCEEDED; 0 is the session's.
	Timeout time.Duration
	// Metadata, if not nil, is filled in when the step has ended, also when it
	// has failed.
	Metadata *RunMetadata
	// Profile also takes down what each node takes, in Metadata.Stats. It costs some
	// tens of nanoseconds for each node, and in loops for a part of the kernels that are
	// short. What goes from device to device is counted, too, in
	// Metadata.Transfers; then no loop is played as a unit that several devices are at.
	Profile bool
	// Sampler, if not nil, adds this run to a profile of many: as much is taken down as
	// costs a few percent of the runs' time. A run that Profile asks for is not among
	// them.
	Sampler *Sampler
}

func (o *RunOptions) timeout(s *SessionOptions) time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return s.Timeout
}
