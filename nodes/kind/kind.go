// Package kind enumerates the kinds of nodes. The packages that lay programs out,
// run them and compile units from them share these names. What each kind does with
// a token is in package nodes.
package kind

// A Kind says what a node does with the tokens it gets.
type Kind uint8

const (
	Kernel   Kind = iota // runs the operation's kernel
	Async                // runs a kernel that may be done later
	Forward              // Identity, RefIdentity: the input is the output
	NoOp                 // no outputs, only order
	Trigger              // ControlTrigger: a NoOp that is never dead
	Const                // puts out a constant
	Arg                  // puts out what is fed
	Retval               // takes what is fetched
	Switch               // Switch, RefSwitch: input 0 goes to the output that the boolean input 1 chooses
	SwitchN              // _SwitchN: the same with an integer
	Merge                // Merge, RefMerge: forwards the input that is alive
	Enter                // Enter, RefEnter: into a frame
	Exit                 // Exit, RefExit: out of a frame
	Next                 // NextIteration, RefNextIteration: into a frame's next iteration
	LoopCond             // the predicate of a loop: a Forward
)

var names = [...]string{
	"Kernel", "Async", "Forward", "NoOp", "Trigger", "Const", "Arg", "Retval",
	"Switch", "SwitchN", "Merge", "Enter", "Exit", "Next", "LoopCond",
}

// String returns the name of the constant.
func (k Kind) String() string {
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown kind"
}

// Runs reports whether a node of the kind runs a kernel. All others are played by
// the step machine itself.
func (k Kind) Runs() bool { return k <= Async }

// Of returns the kind of an operation's nodes: Kernel for those that need one. That a
// kernel is an Async one, only the kernel itself can tell; Arg and Retval are
// no operations.
func Of(op string) Kind { return ofOp[op] }

var ofOp = map[string]Kind{
	"Identity": Forward, "RefIdentity": Forward,
	"NoOp": NoOp, "ControlTrigger": Trigger, "Const": Const,
	"Switch": Switch, "RefSwitch": Switch, "_SwitchN": SwitchN,
	"Merge": Merge, "RefMerge": Merge,
	"Enter": Enter, "RefEnter": Enter,
	"Exit": Exit, "RefExit": Exit,
	"NextIteration": Next, "RefNextIteration": Next,
	"LoopCond": LoopCond,
}
