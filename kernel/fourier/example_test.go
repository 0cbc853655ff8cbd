package fourier_test

import (
	"fmt"

	"github.com/troupe-go/troupe/kernel/fourier"
)

// The spectrum of one turn of a sampled circle has one line.
func ExamplePlan_Transform() {
	p := fourier.NewPlan(4, nil)
	x := []complex128{1, 1i, -1, -1i}
	p.Transform(x, make([]complex128, p.Scratch()), false, nil)
	fmt.Println(x)
	// Output: [(0+0i) (4+0i) (0+0i) (0+0i)]
}
