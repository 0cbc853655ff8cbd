package devices

// Memory says where a kernel's argument lies.
type Memory uint8

const (
	// DeviceMemory is the device's own memory, which for a CPU is the host's.
	DeviceMemory Memory = iota
	// HostMemory is the host's memory on any device: for shapes, indices and
	// strings.
	HostMemory
)

// String is "device" or "host".
func (m Memory) String() string {
	if m == HostMemory {
		return "host"
	}
	return "device"
}

// Attributes is what is known of a device.
type Attributes struct {
	Spec        Spec   // full
	Name        string // Spec, printed once
	Type        string // what kernels are registered for, such as "CPU"
	MemoryLimit int64  // bytes; 0 is without limit
	Unified     bool   // the memory is the host's own
	// Incarnation is another number each time the device is made, never 0, so
	// that a peer notices that it has been restarted.
	Incarnation uint64
	Description string // of the hardware, for people
}

// A Task is one activation of a kernel, on its way to where it is run.
type Task interface {
	// Run computes and notifies what waits for it. It must not panic. worker
	// is the number of the device's worker, from 1; 0 is a goroutine that helps.
	Run(worker int)
}

// A Device runs tasks. It is safe for concurrent use.
type Device interface {
	Attributes() Attributes
	// Publish makes t claimable by the device's workers. nanos is about how long
	// it will run, 0 if unknown. Publish never waits, but may run t before
	// it returns if the device has no room for it. No worker need claim t
	// without a Help from its publisher.
	Publish(t Task, nanos int64)
	// Help claims one published task, of any publisher, and runs it; false if
	// there is none to claim.
	Help() bool
	// Close ends what the device started, when no task is left.
	Close() error
}
