package form

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/selection"
	"github.com/troupe-go/troupe/status"
)

// Passes is a set of optional passes, which make units faster and leave their results as
// they are. They are the bits of the names that [PassNames] lists.
type Passes uint8

// The passes of the form, and the choices of emission, that can be switched off.
const (
	Picks    Passes = 1 << iota // x[i] is one instruction
	Bands                       // calls that follow each other have one instruction
	Chains                      // prepared kernels run one after another as one instruction
	Tiles                       // kernels outside of loops compute a few rows at a time, one after another
	Coalesce                    // values are written to the register of what they become
	Islands                     // scalars have registers, with instructions of their own
	Fuse                        // a comparison and the jump on its result are one instruction
)

var passNames = []string{"pick", "band", "chain", "tile", "coalesce", "island", "fuse"}

// PassNames lists the optional passes in the order in which they act.
func PassNames() []string { return slices.Clone(passNames) }

// AllPasses is all optional passes.
const AllPasses Passes = Fuse<<1 - 1

// ParsePasses reads a set of passes: "", "default" and "all" are all of them, "none" is no
// pass, and a list such as "chain,band" is those passes alone. A name after a minus removes
// a pass, after a plus adds one: "-chain" is all passes but one. A name that is no pass's is
// an error of code INVALID_ARGUMENT.
func ParsePasses(text string) (Passes, error) {
	return selection.Parse(text, AllPasses, func(name string, _ bool) (Passes, error) {
		switch i := slices.Index(passNames, name); {
		case name == "default" || name == "all":
			return AllPasses, nil
		case name == "none":
			return 0, nil
		case i < 0:
			return 0, status.Invalid("unknown pass %q of units: use %s, default, all or none", name, strings.Join(passNames, ", "))
		default:
			return 1 << i, nil
		}
	})
}

// PassesNamed returns the passes of these names; others are left out.
func PassesNamed(names []string) (s Passes) {
	for i, name := range passNames {
		if slices.Contains(names, name) {
			s |= 1 << i
		}
	}
	return s
}

// Names lists the passes of the set, in the order in which they act.
func (s Passes) Names() (names []string) {
	for i, name := range passNames {
		if s.Has(1 << i) {
			names = append(names, name)
		}
	}
	return names
}

// Has reports whether all passes of t are in the set.
func (s Passes) Has(t Passes) bool { return s&t == t }

// String returns the set as ParsePasses reads it.
func (s Passes) String() string {
	switch s & AllPasses {
	case 0:
		return "none"
	case AllPasses:
		return "default"
	}
	return strings.Join(s.Names(), ",")
}
