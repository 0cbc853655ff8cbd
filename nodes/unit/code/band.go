package code

import (
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// A band is kernels that follow each other in a loop, do not need each other's
// outputs and have no side effects. While they are measured to be worth it, the
// device's pool runs them beside each other; otherwise they are ordinary calls.
// Programs without loops go by tokens where several cores help.
type Band struct {
	End   int32 // the instruction after its calls
	Calls []int32
	Lone  []uint64 // by call: inputs that it gives up and no other call of the band has
}

// bandAt returns how many of the instructions that code begins with make a band.
func (e *emitter) bandAt(code []form.Instr) int {
	if e.form.Off.Has(form.Bands) {
		return 0
	}
	made := map[int32]bool{}
	for n := range code {
		in := &code[n]
		if in.Op != form.Call || !e.form.Pure(in) || e.becomesScalar(in) || e.isPick(code[n:]) > 0 {
			return n
		}
		for _, u := range in.In {
			if made[u.Value] || u.Read {
				return n
			}
		}
		for _, o := range in.Out {
			made[o] = true
		}
		if len(in.Drop) > 0 {
			return n + 1
		}
	}
	return len(code)
}

// band writes a band: an instruction that plays all of it, and the calls that are
// played one after another otherwise.
func (e *emitter) band(code []form.Instr) {
	have := map[int32]int{} // how often calls of the band have a value
	for i := range code {
		for _, u := range code[i].In {
			have[u.Value]++
		}
	}
	var b Band
	e.add(instr{Op: OpTogether, D: TogetherBand, X: int32(len(e.u.Bands))})
	at := len(e.u.Bands)
	e.u.Bands = append(e.u.Bands, Band{})
	for i := range code {
		in := &code[i]
		var lone uint64
		for k, u := range in.In {
			if u.Mode == form.Move && have[u.Value] == 1 && k < 64 {
				lone |= 1 << k
			}
		}
		b.Calls, b.Lone = append(b.Calls, int32(len(e.u.Calls))), append(b.Lone, lone)
		e.add(instr{Op: OpCall, X: e.kernelCall(in)})
		if i == len(code)-1 {
			b.End = e.here()
		}
		e.after(in)
	}
	e.u.Bands[at] = b
}
