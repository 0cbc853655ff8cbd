package simulation_test

import (
	"fmt"

	"github.com/troupe-go/troupe/cluster/simulation"
)

// A hundred random scenarios: processes crash, hang and are cut off, packets are lost,
// delayed and delivered twice.
func ExampleRun() {
	violations := 0
	for seed := range uint64(100) {
		if _, err := simulation.Run(simulation.Random(seed, 4), nil); err != nil {
			violations++
		}
	}
	fmt.Println(violations, "violations")
	// Output:
	// 0 violations
}
