package nodes

import "github.com/troupe-go/troupe/tensor"

// actConst puts out its value once all that it waits for has come: it has control
// edges alone, of which a dead one kills it.
func actConst(value tensor.Value, dead bool) effect {
	if dead {
		return effect{verb: doDie}
	}
	return effect{verb: doPass, value: value}
}
