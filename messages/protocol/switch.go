package protocol

import (
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/tensor"
)

// actSwitch is what Switch, RefSwitch and _SwitchN do: input 0 goes to the output
// that input 1 chooses, a boolean or, of _SwitchN, a number, where one that
// numbers no output chooses the last. The other outputs are dead: what only they lead
// to never acts. A Switch that is dead is dead on all.
func (n *Node) actSwitch(a *Activation, in []tensor.Value, out *Outbox) {
	if a.Dead {
		out.die(n.Spec, a.Tag)
		return
	}
	p := in[1]
	if p.NumElements() != 1 {
		out.fail(n.Number, a.Tag, notScalar(p))
		return
	}
	outs := int32(len(n.Out) - 1)
	taken := int32(0)
	switch {
	case n.Kind == kind.SwitchN:
		if taken = tensor.At0[int32](&p); taken < 0 || taken >= outs {
			taken = outs - 1
		}
	case tensor.At0[bool](&p):
		taken = 1
	}
	for o := range outs {
		if o != taken {
			out.kill(n.Spec, o, a.Tag)
		}
	}
	out.emit(n.Spec, taken, a.Tag, in[0])
	out.control(n.Spec, a.Tag, false)
}
