package main

import "time"

// A Machine is what the simulation knows of one. The times are measured (measure_test.go) or
// published; docs/design/2026-11-29-threads.md has the sources.
type Machine struct {
	Name                   string
	Cores, Cluster, Socket int // how many cores, in a cluster with one last cache, in a socket

	// How long a cache line takes from a core to another one of its cluster, of its socket,
	// of the other socket.
	Near, Far, Across time.Duration
	// Port is how long a line is busy with one of several cores that read it at once.
	Port   time.Duration
	Atomic time.Duration // an atomic operation on a line that the core has
	Pause  time.Duration // between two looks at a line

	Send  time.Duration // what marking a goroutine as ready costs the one that wakes it
	Futex time.Duration // what starting a sleeping thread costs the one that starts it
	Start time.Duration // how long until that runs

	Foreign int           // busy loops of other programs on the machine
	Slice   time.Duration // how long a thread has a core for which others wait
}

// transfer returns how long a line takes from one core to another.
func (m *Machine) transfer(from, to int) time.Duration {
	switch {
	case from == to:
		return 0
	case from/m.Cluster == to/m.Cluster:
		return m.Near
	case from/m.Socket == to/m.Socket:
		return m.Far
	}
	return m.Across
}

// machine returns one of so many cores: up to 8 share a cluster, up to 64 a socket. Threads
// start as in a virtual machine whose idle cores the host takes away, or as on bare metal.
func machine(cores int, bare bool) *Machine {
	m := &Machine{
		Cores: cores, Cluster: min(cores, 8), Socket: min(cores, 64),
		Near: 54, Far: 107, Across: 197, Port: 10, Atomic: 5, Pause: 20,
		Send: 300, Futex: 7 * time.Microsecond, Start: 60 * time.Microsecond,
		Slice: 3 * time.Millisecond,
	}
	if bare {
		m.Near, m.Futex, m.Start = 23, 2*time.Microsecond, 10*time.Microsecond
	}
	return m
}
