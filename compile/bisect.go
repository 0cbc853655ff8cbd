package compile

import (
	"slices"

	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
)

// Bisect is [plan.Bisect] for optional passes over programs, and those of units after them:
// wrong reports whether the result is wrong with only those that it is given. A pass of units
// is named as "units/chain".
func Bisect(passes rewrite.Passes, units form.Passes, wrong func(rewrite.Passes, form.Passes) (bool, error)) (pass string, found bool, err error) {
	names := passes.Names()
	for _, name := range units.Names() {
		names = append(names, unitPass+name)
	}
	return plan.Bisect(names, func(on []string) (bool, error) {
		var some []string
		for _, name := range units.Names() {
			if slices.Contains(on, unitPass+name) {
				some = append(some, name)
			}
		}
		return wrong(passes.Only(on), form.PassesNamed(some))
	})
}

const unitPass = "units/"
