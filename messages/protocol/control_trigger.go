package protocol

// actTrigger is a NoOp that is never dead: it lets wait for the end of a branch,
// taken or not.
func (n *Node) actTrigger(a *Activation, out *Outbox) { out.control(n.Spec, a.Tag, false) }

// actNoOp waits for others and lets others wait. Any dead edge kills it.
func (n *Node) actNoOp(a *Activation, out *Outbox) { out.control(n.Spec, a.Tag, a.Dead) }
