package nodes

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/troupe-go/troupe/nodes/unit"
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// A Plan says how a program is played: as one unit, or by tokens, in which case
// loops may be units still. See package unit for the forms.
type Plan struct {
	Form   string // of the whole program, where it is one unit
	Reason string // why it is none
	Loops  []PlannedLoop
}

// A PlannedLoop is a loop of a program.
type PlannedLoop struct {
	Frame  string // its name
	Outer  int    // the loop around it, by its place in [Plan.Loops]; -1
	Unit   bool   // it is a unit, or a part of one
	Form   string // where it is a unit by itself
	Reason string // why it is played by tokens
}

// Plan returns how engines that play units play the program. Loops come after those
// around them. Forms are made again, which takes as long as when the program was
// compiled.
func (p *Program) Plan() Plan {
	plan := Plan{Reason: p.why}
	c := unit.NewCompiler(p.Flow(), nil)
	c.Off = p.unitsOff
	form := func(f int) string {
		if of, _, _ := c.Form(int32(f)); of != nil {
			return of.String() + unit.Tilings(of, runtime.GOMAXPROCS(0)) + of.Buffers().String()
		}
		return ""
	}
	if p.whole != nil {
		plan.Form = form(0)
	}
	for f := 1; f < len(p.statics); f++ {
		l := PlannedLoop{Frame: p.statics[f].Name, Outer: p.statics[f].Parent - 1}
		switch {
		case p.whole != nil, l.Outer >= 0 && plan.Loops[l.Outer].Unit:
			l.Unit = true
		case p.units == nil:
			l.Reason = p.why
		case p.units[f] != nil:
			l.Unit, l.Form = true, form(f)
		default:
			l.Reason = p.reasons[f]
		}
		plan.Loops = append(plan.Loops, l)
	}
	return plan
}

// EachUnitPass makes the forms of the program's units again, verifies them after each pass
// and calls f with the pass and the form then.
func (p *Program) EachUnitPass(f func(pass, text string)) error {
	c := unit.NewCompiler(p.Flow(), nil)
	c.Off, c.Check = p.unitsOff, true
	c.After = func(pass string, of *form.Form) { f(pass, of.String()) }
	for frame := range p.statics {
		if frame == 0 && p.whole == nil || frame > 0 && (p.units == nil || p.units[frame] == nil) {
			continue
		}
		if _, _, err := c.Form(int32(frame)); err != nil {
			return err
		}
	}
	return nil
}

// Units returns how many of the loops are units or parts of them.
func (p Plan) Units() int {
	n := 0
	for _, l := range p.Loops {
		if l.Unit {
			n++
		}
	}
	return n
}

// String prints the forms, and the reasons where there are none.
func (p Plan) String() string {
	if p.Form != "" {
		return p.Form
	}
	var w strings.Builder
	fmt.Fprintf(&w, "by tokens: %s\n", p.Reason)
	for _, l := range p.Loops {
		switch {
		case l.Form != "":
			w.WriteString(l.Form)
		case !l.Unit:
			fmt.Fprintf(&w, "loop %s by tokens: %s\n", l.Frame, l.Reason)
		}
	}
	return w.String()
}
