package plan_test

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/plan"
)

// Which of three passes makes a result wrong?
func ExampleBisect() {
	pass, found, err := plan.Bisect([]string{"fold", "hoist", "common"}, func(on []string) (bool, error) {
		return slices.Contains(on, "hoist"), nil // run it with these passes, and compare
	})
	fmt.Println(pass, found, err)
	// Output:
	// hoist true <nil>
}
