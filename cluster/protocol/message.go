package protocol

// A Verb is what a message asks for or reports; see the package.
type Verb uint8

// The verbs.
const (
	Register Verb = iota + 1
	Registered
	Deregister
	Execute
	Executed
	Abort
	CloseSession
	Tensor
	Offer
	Want
	Credit
)

var verbs = [...]string{"?", "Register", "Registered", "Deregister", "Execute", "Executed", "Abort", "CloseSession", "Tensor", "Offer", "Want", "Credit"}

// String returns the name of the constant.
func (v Verb) String() string {
	if int(v) >= len(verbs) {
		v = 0
	}
	return verbs[v]
}

// A Message is one of any verb, between a master and a worker or between two workers.
type Message struct {
	Verb   Verb
	Step   StepID // of Register, Registered, Deregister and CloseSession the session's
	Handle uint64 // of Register, Registered, Deregister and Execute
	Key    string // of Tensor, Offer and Want: what names the tensor within the step
	Size   int64  // of Tensor, Offer and Credit, in bytes
	Peers  []Peer // of Register: the workers that the part exchanges tensors with
	Value  any    // of Register: the part. Of Execute: its feeds. Of Executed: its fetches. Of Tensor: the tensor
	Floor  uint64 // of Register and Execute: all steps of the session below are over
	Err    error  // of Registered, Executed and Abort
}
