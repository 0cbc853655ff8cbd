//go:build !linux

package vec

import "testing"

// guarded is memory of n elements.
func guarded[T any](t testing.TB, n int) []T { return make([]T, n) }
