//go:build !linux

// Package cost measures what benchmarks of servers take.
package cost

import "testing"

// Loop runs the loop of a benchmark.
func Loop(b *testing.B, op func()) {
	for b.Loop() {
		op()
	}
}
