package session

import (
	"fmt"
	"runtime"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// SessionOptions configures a session. The zero value is a good choice.
type SessionOptions struct {
	// Target is the runtime to run on: "" or "local", this process; or
	// "troupe://host:port,host:port", workers started by `troupe worker`, for programs that
	// import package cluster. Devices are then the workers', and so are Engine and Files,
	// and what holds resources and the memory of steps; partial runs and profiles are not
	// supported. docs/cluster.md describes it.
	Target string

	// Cluster configures a Target of other processes.
	Cluster ClusterOptions

	// Config is a serialized ConfigProto. These fields are used unless the option itself
	// is set: intra_op_parallelism_threads and inter_op_parallelism_threads (Threads is
	// the larger), operation_timeout_in_ms (Timeout), device_count (Devices),
	// log_device_placement (LogPlacement), and the rewriting options of graph_options
	// (Rewrite). The other fields configure TensorFlow's own runtime and are ignored.
	Config []byte

	// Engine runs the steps: "actors" (also ""), "tokens", "messages", "messages:N",
	// "seeded:N", "schedule:ORDER" or "sequential". "tokens" is "actors" without
	// compiling loops and programs into units. docs/engines.md describes them.
	Engine string

	// Rewrite selects the passes that rewrite the subgraph of a run before it is
	// compiled, once for each set of feeds, fetches and targets. "" selects those that
	// leave results bit-identical and errors unchanged; "none" runs the graph as
	// written; "all" adds the passes that may change the last bits of results. A list
	// names passes, as "fold,common", or changes the default, as "+batchnorm,-hoist".
	// "+winograd", which "all" does not include, computes 3×3 convolutions of float32 by
	// Winograd's transforms (S. Winograd 1980; A. Lavin and S. Gray 2015) where that is
	// faster: up to three times. It costs about half a decimal digit; an infinity or NaN
	// spreads to neighboring pixels (docs/design/2026-11-29-winograd.md has both). If
	// Rewrite is "", Config may select passes: opt_level L0 and disable_meta_optimizer
	// mean "none", and the toggles of rewrite_options for constant folding, arithmetic,
	// loops, remapping and common subgraphs are used.
	Rewrite string

	// Units selects the optional passes that make units, which are loops and programs
	// compiled by the engine "actors": "" is all, "none" is no pass, and a list names
	// passes or changes the default, as "-chain,-band". Results do not depend on it; it
	// is for finding faults. [Callable.EachUnitPass] shows what each pass does.
	Units string

	// BatchLoops runs the loops of concurrent runs of one program together (continuous or
	// cellular batching): callers that are in the same While, or the same loop of Enter and Exit, with the
	// same weights, share each iteration's products. A caller joins and leaves at any iteration and
	// waits for nobody; a caller alone runs as without the option. Calls of recursive functions are
	// batched, too, those of one run among themselves, as of a tree. Results are those of single
	// runs, up to the rounding of products whose order of sums depends on the number of rows.
	// Errors, deadlines and cancellation stay each caller's own. docs/design/2026-11-28-loops-that-meet.md
	// says which loops qualify, calls-that-meet.md which calls, and [Callable.Batching] shows it for a run.
	BatchLoops bool

	// Threads is the number of kernels, or parts of kernels, that the session's pool
	// runs at a time; 0 is the number of CPUs, 1 leaves all work to the callers.
	Threads int

	// Devices is the number of devices of each type: {"CPU": 2}. There is always a CPU.
	// Nodes run on the devices that they request, and tensors are transferred between
	// devices; nodes without a device run on the first. CPU devices divide a graph, and
	// share the session's threads.
	//
	// {"OPENCL": 1} is an accelerator, as are EMULATED and GPU, for programs that import
	// its driver (devices/opencl, devices/emulated, devices/cuda) and its kernels
	// (ops/accelerated). Nodes that have kernels for it are placed there unless they
	// request another device, and their values stay in its memory; fetches are copied
	// back. If the device fails, the steps that use it fail with UNAVAILABLE and its
	// name, and the device is reopened for the next step.
	//
	// If Devices is nil, Config's device_count applies; without that there is only
	// CPU:0.
	Devices map[string]int

	// Processes are the processes of a cluster whose devices the session has, such as
	// "/job:ps/task:0", the first for nodes that may be anywhere, feeds and fetches. They
	// are names: all run in this process, on the same threads. Each has CPUs of its own,
	// and containers of its own in Resources, so that variables of one name in two
	// processes are two. A node that requests a process that is not among them fails its
	// run with INVALID_ARGUMENT. nil is "/job:localhost/replica:0/task:0", and whatever
	// process a node requests.
	Processes []string

	// Device is the device of nodes without one, such as "/device:CPU:1"; "" leaves it
	// to placement.
	Device string

	// StrictPlacement makes a run fail with INVALID_ARGUMENT if a node requests a device
	// that does not exist, or another than that of the nodes with which it must be
	// colocated. Otherwise such a node runs on the best device available, as in
	// TensorFlow with allow_soft_placement.
	StrictPlacement bool

	// LogPlacement logs the device of each node of a program to Logger. Config's
	// log_device_placement sets it too.
	LogPlacement bool

	// SeparateSteps runs the part of a graph on each device as a separate step, on its own
	// goroutine, with transfers through a rendezvous, as between machines. Otherwise one
	// goroutine runs the parts of all devices, which is faster unless they are long and
	// independent.
	SeparateSteps bool

	// Seed is the graph-level seed of random operations that have none of their own; 0
	// takes one from the clock.
	Seed int64

	// Resources are the variables, queues, tables and other resources that the session
	// shares with other sessions of the process, by container and name; nil gives the
	// session resources of its own, which are released when it is closed. What they hold
	// counts towards their own limit and not towards MemoryLimit. Sessions with
	// accelerators cannot share resources. State that has no name, such as the streams of
	// random operations, stays with the session.
	Resources *Resources

	// MemoryLimit bounds the bytes of all tensors of running steps, variables, queues
	// and other resources together: a step that would exceed it fails with
	// RESOURCE_EXHAUSTED. 0 is three quarters of the machine's memory, negative is no
	// limit.
	MemoryLimit int64

	// DeviceMemoryLimit bounds the bytes that the session allocates on each accelerator;
	// 0 is what the device has free. Accelerator memory that is host memory (an emulated
	// device, OpenCL on a CPU), and staging memory for copies, also count towards
	// MemoryLimit while the session holds them. Errors at either limit name the node and
	// the device.
	DeviceMemoryLimit int64

	// MaxConcurrentSteps bounds the number of steps that run at the same time; further
	// ones wait. 0 is no limit.
	MaxConcurrentSteps int

	// Timeout bounds each step that has no deadline of its own; 0 is no limit.
	Timeout time.Duration

	// Files is the set of files that the session's graphs may read and write; nil
	// permits every regular file that the process may access. Other access fails with
	// PERMISSION_DENIED. Set it for graphs from untrusted sources.
	Files *files.Policy

	// MapFiles maps the large tensors of checkpoints into memory instead of reading them:
	// processes with the same files share one copy, in the system's cache of files, and
	// what is not used takes no memory. MemoryLimit does not count it. The files must stay
	// as they are while the session is open: all steps fail with DATA_LOSS if one is cut
	// off, overwritten or touched in place, or its disk fails. A file that is replaced by
	// rename, or removed, stays as it was for the session. On Linux and macOS,
	// on amd64 and arm64; elsewhere, on workers, and in sessions with accelerators files
	// are read. docs/design/2026-11-29-weights.md describes it.
	MapFiles bool

	// Logger receives the session's lifecycle events, each with the session's name and,
	// for a SavedModel, its folder; nil logs nothing.
	Logger *zerolog.Logger

	// Name is the session's name in log lines; "" is "session" and a number.
	Name string
}

// resolve checks the options and fills in what is left open.
func (o *SessionOptions) resolve() (SessionOptions, error) {
	var r SessionOptions
	if o != nil {
		r = *o
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
	if err := r.checkTarget(); err != nil {
		return r, err
	}
	if _, err := r.processes(); err != nil {
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

// RunOptions configures one run. The zero value is the default.
type RunOptions struct {
	// Timeout bounds the step, which fails with DEADLINE_EXCEEDED; 0 is the session's
	// Timeout.
	Timeout time.Duration
	// Metadata, if not nil, is filled in when the step has ended, even if it failed.
	Metadata *RunMetadata
	// Profile records the cost of every node in Metadata.Stats, and transfers between
	// devices in Metadata.Transfers. It costs some tens of nanoseconds for each node; in
	// loops, short kernels are sampled. Loops that span several devices are then not
	// compiled into units.
	Profile bool
	// Sampler, if not nil, adds this run to a profile of many runs, recorded at a cost
	// of a few percent of their time. It ignores runs with Profile set.
	Sampler *Sampler
	// Once releases the program that is compiled for the run when the run has ended, as
	// for steps that initialize a model and do not come again. A program that the session
	// has already is used and stays, as is that of a Callable.
	Once bool
}

func (o *RunOptions) timeout(s *SessionOptions) time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return s.Timeout
}
