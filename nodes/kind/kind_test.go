package kind_test

import (
	"testing"

	"github.com/troupe-go/troupe/nodes/kind"
)

func TestOf(t *testing.T) {
	for op, want := range map[string]kind.Kind{
		"AddV2": kind.Kernel, "": kind.Kernel, "_Arg": kind.Kernel,
		"Identity": kind.Forward, "RefIdentity": kind.Forward,
		"NoOp": kind.NoOp, "ControlTrigger": kind.Trigger, "Const": kind.Const,
		"Switch": kind.Switch, "RefSwitch": kind.Switch, "_SwitchN": kind.SwitchN,
		"Merge": kind.Merge, "RefMerge": kind.Merge,
		"Enter": kind.Enter, "RefEnter": kind.Enter,
		"Exit": kind.Exit, "RefExit": kind.Exit,
		"NextIteration": kind.Next, "RefNextIteration": kind.Next,
		"LoopCond": kind.LoopCond,
	} {
		got := kind.Of(op)
		if got != want {
			t.Errorf("%q is %v, want %v", op, got, want)
		}
		if got.Runs() != (want == kind.Kernel) {
			t.Errorf("%q: Runs is %v", op, got.Runs())
		}
	}
	if !kind.Async.Runs() || kind.Arg.Runs() || kind.Retval.Runs() {
		t.Error("Runs")
	}
}

func TestString(t *testing.T) {
	seen := map[string]bool{}
	for k := kind.Kernel; k <= kind.LoopCond; k++ {
		if s := k.String(); s == "" || seen[s] {
			t.Errorf("kind %d is called %q", k, s)
		}
		seen[k.String()] = true
	}
	if kind.LoopCond.String() != "LoopCond" || kind.Kind(200).String() != "unknown kind" {
		t.Error(kind.LoopCond.String(), kind.Kind(200).String())
	}
}
