package nodes

// actNoOp waits for others and lets others wait. Any dead edge kills it, a control
// edge too.
func actNoOp(dead bool) effect {
	if dead {
		return effect{verb: doDie}
	}
	return effect{verb: doOrder}
}
