package protocol

import "fmt"

// An Incarnation identifies one life of a process. It is random and not 0.
type Incarnation uint64

// String returns the incarnation in hexadecimal.
func (i Incarnation) String() string { return fmt.Sprintf("%016x", uint64(i)) }

// A Peer is the address of a process in the cluster's list of processes. A process that
// is restarted has the same address.
type Peer int32

// Owner stands for the process that a step's session belongs to, in [Worker.Produced] and
// [Worker.Wanted]: a step may be fed and fetched while it runs.
const Owner Peer = -1

// A SessionID identifies a session of a master's.
type SessionID struct {
	Master Incarnation
	Number uint64
}

// A StepID identifies a step. Numbers of a master's steps grow.
type StepID struct {
	SessionID
	Step uint64
}
