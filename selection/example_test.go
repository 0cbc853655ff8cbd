package selection_test

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/selection"
)

func ExampleParse() {
	members := []string{"fold", "common", "hoist"}
	named := func(name string, removed bool) (uint8, error) {
		i := slices.Index(members, name)
		if i < 0 {
			return 0, fmt.Errorf("there is no pass %q", name)
		}
		return 1 << i, nil
	}
	for _, text := range []string{"", "-hoist", "common", "common,fold", "+hoist", "-hoist, +hoist", "inline"} {
		set, err := selection.Parse(text, 0b111, named)
		fmt.Printf("%-15q %03b %v\n", text, set, err)
	}
	// Output:
	// ""              111 <nil>
	// "-hoist"        011 <nil>
	// "common"        010 <nil>
	// "common,fold"   011 <nil>
	// "+hoist"        111 <nil>
	// "-hoist, +hoist" 111 <nil>
	// "inline"        000 there is no pass "inline"
}
