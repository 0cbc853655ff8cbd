package graph

// A Class says what an operation means to the executor. All operations but a
// few are [ClassOther]: they wait for their inputs and run a kernel.
type Class uint8

// The classes. The reference variants (RefSwitch and so on) are in the class
// of the plain one.
const (
	ClassOther Class = iota
	ClassSwitch
	ClassMerge
	ClassEnter
	ClassExit
	ClassNextIteration
	ClassLoopCond
	ClassControlTrigger
	ClassSend
	ClassRecv
	ClassConstant
	ClassVariable
	ClassIdentity
	ClassNoOp
	ClassPlaceholder
	ClassArg
	ClassRetval
	ClassCall // a function, called by its name
)

var classes = map[string]Class{
	"Switch": ClassSwitch, "RefSwitch": ClassSwitch, "_SwitchN": ClassSwitch,
	"Merge": ClassMerge, "RefMerge": ClassMerge,
	"Enter": ClassEnter, "RefEnter": ClassEnter,
	"Exit": ClassExit, "RefExit": ClassExit,
	"NextIteration": ClassNextIteration, "RefNextIteration": ClassNextIteration,
	"LoopCond":       ClassLoopCond,
	"ControlTrigger": ClassControlTrigger,
	"_Send":          ClassSend, "_HostSend": ClassSend, "Send": ClassSend,
	"_Recv": ClassRecv, "_HostRecv": ClassRecv, "Recv": ClassRecv,
	"Const": ClassConstant, "HostConst": ClassConstant,
	"Variable": ClassVariable, "VariableV2": ClassVariable, "VarHandleOp": ClassVariable,
	"Identity": ClassIdentity, "RefIdentity": ClassIdentity,
	"NoOp":        ClassNoOp,
	"Placeholder": ClassPlaceholder, "PlaceholderV2": ClassPlaceholder, "PlaceholderWithDefault": ClassPlaceholder,
	"_Arg":    ClassArg,
	"_Retval": ClassRetval,
}

// ClassOf returns the class of a primitive operation by its name.
func ClassOf(op string) Class { return classes[op] }

var classNames = [...]string{
	"other", "switch", "merge", "enter", "exit", "next iteration", "loop condition", "control trigger",
	"send", "recv", "constant", "variable", "identity", "no-op", "placeholder", "argument", "return value", "call",
}

// String returns the class in words.
func (c Class) String() string {
	if int(c) < len(classNames) {
		return classNames[c]
	}
	return "other"
}

// ControlFlow reports whether nodes of the class make a graph need frames and
// dead tokens.
func (c Class) ControlFlow() bool { return c >= ClassSwitch && c <= ClassLoopCond }
