package main

import (
	"math"
	"math/rand/v2"
	"slices"
)

// draw draws an index with the probabilities that logits stand for; a lower temperature
// prefers what is probable.
func draw(r *rand.Rand, logits []float32, temperature float64) int {
	top := slices.Max(logits)
	p := make([]float64, len(logits))
	sum := 0.0
	for i, x := range logits {
		p[i] = math.Exp(float64(x-top) / temperature)
		sum += p[i]
	}
	at := r.Float64() * sum
	for i, x := range p {
		if at -= x; at < 0 {
			return i
		}
	}
	return len(p) - 1
}
