package code

import (
	"sync"

	"github.com/troupe-go/troupe/nodes/unit/form"
)

// A scalarShape is what an instruction on scalars takes and makes, and the operations
// that it stands for.
type scalarShape struct {
	form.ScalarForm
	ops []string
}

// shapes lists the instructions on scalars.
var shapes = sync.OnceValue(func() map[opcode]scalarShape {
	found := map[opcode]scalarShape{}
	for _, s := range form.Scalars() {
		op := opcodeOf(s.Code)
		found[op] = scalarShape{s, append(found[op].ops, s.Op)}
	}
	return found
})

// compared returns the comparison of each opcode that compares and jumps.
var compared = sync.OnceValue(func() map[opcode]opcode {
	found := map[opcode]opcode{}
	for op, j := range fused {
		found[j.when], found[j.unless], found[j.latch] = op, op, op
	}
	return found
})
