package nodes

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// TestKinds lets tokens come to one node, and prints what goes out. A command is a
// kind's name with
//
//	in=N controls=N outs=N   how many edges lead to it, and outputs it has
//	from=(kind,…)            for Merge: what sends to its inputs; Constant is an Enter that is
//	type=…                   of input 1, bool where it is left out
//	own=…                    the value of a Const or an Arg
//
// and has a token in each line: an iteration, an input's number or ^ for a control
// edge, and a value or "dead".
func TestKinds(t *testing.T) {
	datadriven.Walk(t, "kind/testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var w strings.Builder
			n := nodeUnderTest(t, d)
			if n.first == 0 {
				fmt.Fprintf(&w, "at once: %s\n", n.say(n.act(nil, false)))
			}
			for _, line := range strings.Split(d.Input, "\n") {
				if line != "" {
					fmt.Fprintf(&w, "%s: %s\n", line, n.take(t, d, strings.Fields(line)))
				}
			}
			return w.String()
		})
	})
}

// A lone node is one without a step.
type lone struct {
	kind         kind.Kind
	in, outs     int
	first, later uint32
	input1       tensor.DType
	own          tensor.Value
	pending      map[string]uint32 // by iteration
	inputs       map[string][]tensor.Value
}

func nodeUnderTest(t *testing.T, d *datadriven.TestData) *lone {
	n := &lone{pending: map[string]uint32{}, inputs: map[string][]tensor.Value{}, input1: tensor.Bool}
	for n.kind.String() != d.Cmd {
		if n.kind++; n.kind > kind.LoopCond {
			d.Fatalf(t, "no kind %q", d.Cmd)
		}
	}
	controls := 0
	var from []string
	for _, arg := range d.CmdArgs {
		var err error
		switch v := arg.Vals[0]; arg.Key {
		case "in":
			n.in, err = strconv.Atoi(v)
		case "controls":
			controls, err = strconv.Atoi(v)
		case "outs":
			n.outs, err = strconv.Atoi(v)
		case "from":
			from, n.in = arg.Vals, len(arg.Vals)
		case "type":
			n.input1 = tensor.Int32
		case "own":
			n.own, err = value(v, tensor.Int32)
		default:
			err = fmt.Errorf("unknown argument %q", arg.Key)
		}
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	n.first = uint32(n.in + controls)
	n.later = n.first
	if n.kind == kind.Merge {
		inputs := make([]mergeInput, len(from)+controls)
		for i, f := range from {
			switch f {
			case "Enter":
				inputs[i] = mergeInput{kind: kind.Enter}
			case "Constant":
				inputs[i] = mergeInput{kind: kind.Enter, constant: true}
			case "Next":
				inputs[i] = mergeInput{kind: kind.Next}
			}
		}
		n.first, n.later = mergeWaits(inputs)
	}
	return n
}

func value(text string, dt tensor.DType) (tensor.Value, error) {
	x, err := literal.Parse(text, dt)
	if err != nil {
		return tensor.Value{}, err
	}
	return tensor.ValueOf(x), nil
}

// take lets a token come: "L[0] 1 true".
func (n *lone) take(t *testing.T, d *datadriven.TestData, token []string) string {
	at, edge, what := token[0], token[1], token[2]
	if _, begun := n.pending[at]; !begun {
		n.pending[at] = pendingOf(n.first)
		if strings.Contains(at, "[") && !strings.HasSuffix(at, "[0]") {
			n.pending[at] = pendingOf(n.later)
		}
		n.inputs[at] = make([]tensor.Value, n.in)
	}
	dead := what == "dead"
	if edge != "^" && !dead {
		i, err := strconv.Atoi(edge)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		dt := tensor.Int32
		if i == 1 && (n.kind == kind.Switch || n.kind == kind.SwitchN) {
			dt = n.input1
		}
		if n.inputs[at][i], err = value(what, dt); err != nil {
			d.Fatalf(t, "%v", err)
		}
	}
	p := arrived(n.pending[at], deadBit(dead))
	n.pending[at] = p
	if !complete(p) {
		return fmt.Sprintf("%d more", p>>1)
	}
	return n.say(n.act(n.inputs[at], died(p)))
}

// act returns the node's behaviour.
func (n *lone) act(in []tensor.Value, dead bool) effect {
	switch n.kind {
	case kind.Kernel, kind.Async:
		return actKernel(dead)
	case kind.Forward, kind.LoopCond:
		return actForward(in, dead)
	case kind.NoOp:
		return actNoOp(dead)
	case kind.Trigger:
		return actTrigger()
	case kind.Const:
		return actConst(n.own, dead)
	case kind.Arg:
		return actArg(n.own)
	case kind.Retval:
		return actRetval(in, dead)
	case kind.Switch:
		return actSwitch(in, dead)
	case kind.SwitchN:
		return actSwitchN(in, dead, int32(n.outs))
	case kind.Merge:
		return actMerge(in)
	case kind.Enter:
		return actEnter(in, dead)
	case kind.Exit:
		return actExit(in, dead)
	}
	return actNext(in, dead)
}

// say returns an effect in words.
func (n *lone) say(e effect) string {
	s := e.verb.String()
	switch e.verb {
	case doChoose:
		s += fmt.Sprintf(" output %d", e.port)
	case doMerge:
		s += fmt.Sprintf(" input %d", e.port)
	case doRefuse:
		return s + ": " + kind.NotScalar(e.value).Error()
	}
	switch e.verb {
	case doNothing, doOrder, doDie, doLinger, doRun:
		return s
	}
	if e.value.IsZero() {
		return s + " death"
	}
	return s + fmt.Sprintf(" %v", e.value.Tensor().Value())
}
