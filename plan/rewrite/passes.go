package rewrite

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/selection"
	"github.com/troupe-go/troupe/status"
)

// Passes is a set of passes.
type Passes uint32

// A pass is one way to change a program. Passes run in the order of this table.
type pass struct {
	name string
	bits bool // all results keep their bits
	asks bool // it changes more than the last ones: only who names it has it
	run  func(*work) error
}

// The order is such that each pass finds what the ones before have made of the
// program: constants before what asks for constants, one node in place of equal
// ones before what asks who else takes a value, and fused operations, which few other
// passes know, at the end.
var passes = []pass{
	{"fold", true, false, fold},
	{"branches", true, false, branches},
	{"arithmetic", true, false, arithmetic},
	{"algebra", false, false, algebra},
	{"hoist", true, false, hoist},
	{"common", true, false, common},
	{"transposes", true, false, transposes},
	{"batchnorm", false, false, batchNorm},
	{"pads", true, false, pads},
	{"epilogue", true, false, epilogue},
	{"updates", true, false, updates},
	{"elementwise", true, false, elementwise},
	{"winograd", false, true, winograd},
}

// Names lists the passes in the order in which they run.
func Names() []string {
	names := make([]string, len(passes))
	for i, p := range passes {
		names[i] = p.name
	}
	return names
}

const none Passes = 0

// All returns the passes that change no bit of any result, and those that may change the last
// ones. What costs digits is not among them: that is for who names it.
func All() Passes {
	var s Passes
	for i, p := range passes {
		if !p.asks {
			s |= 1 << i
		}
	}
	return s
}

// Default returns the passes that change no bit of any result.
func Default() Passes {
	var s Passes
	for i, p := range passes {
		if p.bits {
			s |= 1 << i
		}
	}
	return s
}

// Fusing returns the passes that put in operations which only CPUs have kernels for.
func Fusing() Passes {
	var s Passes
	for i, p := range passes {
		if p.name == "epilogue" || p.name == "updates" || p.name == "elementwise" {
			s |= 1 << i
		}
	}
	return s
}

// Parse reads a set of passes: "" or "default" is [Default], "none" is none, "all" is [All], and a list such as "fold,common" is those passes alone. A name behind a
// minus takes a pass away, behind a plus adds one: "-hoist" is the default but for one,
// "default,+batchnorm" or "+batchnorm" one more. It fails with INVALID_ARGUMENT for a name
// that is none.
func Parse(text string) (Passes, error) {
	return selection.Parse(text, Default(), func(name string, removed bool) (Passes, error) {
		switch name {
		case "default":
			return Default(), nil
		case "all":
			if removed {
				return 1<<len(passes) - 1, nil
			}
			return All(), nil
		case "none":
			return 0, nil
		case "prune": // which always runs
			if removed {
				return 0, status.Invalid("the pass prune cannot be switched off; those that can are %s", strings.Join(Names(), ", "))
			}
			return 0, nil
		}
		i := slices.IndexFunc(passes, func(p pass) bool { return p.name == name })
		if i < 0 {
			return 0, status.Invalid("unknown rewriting pass %q: use %s, default, all or none", name, strings.Join(Names(), ", "))
		}
		return 1 << i, nil
	})
}

// String returns the set as Parse reads it.
func (s Passes) String() string {
	switch s &= 1<<len(passes) - 1; s {
	case none:
		return "none"
	case Default():
		return "default"
	case All():
		return "all"
	}
	return strings.Join(s.Names(), ",")
}

// Names lists the passes of the set, in the order in which they run.
func (s Passes) Names() (names []string) {
	for i, p := range passes {
		if s.has(i) {
			names = append(names, p.name)
		}
	}
	return names
}

// Only returns those passes of the set that have these names.
func (s Passes) Only(names []string) (some Passes) {
	for i, p := range passes {
		if s.has(i) && slices.Contains(names, p.name) {
			some |= 1 << i
		}
	}
	return some
}

func (s Passes) has(i int) bool { return s&(1<<i) != 0 }
