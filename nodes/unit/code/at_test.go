package code_test

import (
	"testing"

	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// TestEnclosed leads each jump of units, and what else says where to go on, out of the
// unit: the machine would play what lies there.
func TestEnclosed(t *testing.T) {
	kinds := make(map[string]int)
	eachForm(t, 60, func(seed uint64, _ *form.Form, emit func() *code.Unit) {
		u := emit()
		if err := u.Enclosed(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		out := func(kind string, next *int32) {
			kinds[kind]++
			was := *next
			for _, to := range []int32{-1, int32(len(u.Instrs))} {
				if *next = to; u.Enclosed() == nil {
					t.Errorf("seed %d: %s to %d of %d instructions passes", seed, kind, to, len(u.Instrs))
				}
			}
			*next = was
		}
		for i := range u.Instrs {
			if in := &u.Instrs[i]; in.Op == code.OpJump || in.Op >= code.OpJumpIf {
				out("jump", &in.X)
			}
		}
		for i := range u.Tests {
			out("test", &u.Tests[i].Target)
		}
		for i := range u.Entries {
			out("entry", &u.Entries[i].Otherwise)
		}
		for i := range u.Latches {
			out("latch", &u.Latches[i].Target)
		}
		for i := range u.Bands {
			out("band", &u.Bands[i].End)
		}
		for i := range u.Chains {
			out("chain", &u.Chains[i].End)
		}
		for i := range u.Picks {
			out("pick", &u.Picks[i].End)
		}
		last := len(u.Instrs) - 1
		u.Instrs[last].Op = code.OpAwait
		if u.Enclosed() == nil {
			t.Errorf("seed %d: code without an end passes", seed)
		}
	})
	for _, kind := range []string{"jump", "test", "entry", "latch", "band", "chain", "pick"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s was drawn", kind)
		}
	}
}
