package programs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
)

// Seeds whose programs once went wrong: functions that call themselves and return a
// tensor twice (7016189), or one that they go on reading (7027025); an assertion before
// a branch that a constant decides against (3004298); a value of a unit that is dropped
// before the only place that makes it there (4599); a list that has a tensor twice, of
// which one is popped, and the list then left (58878); a product of matrices without
// elements, in a loop (1110983); a call that hands on a result of the call within, which alone
// leads to an assignment (32062561); zero plus a variable of the first kind (40041034); a function
// that calls itself and returns a view of a tensor before the tensor (40005230). And one that goes wrong where
// what outlives a step is written (9311).
func TestFoundSeeds(t *testing.T) {
	all, end := engines(t, *engineSet, memoryLimit)
	defer end()
	for seed, shares := range map[int]bool{7016189: false, 7027025: false, 3004298: false, 4599: true, 58878: false, 9311: false, 1110983: false, 32062561: false, 40041034: true, 40005230: false} {
		src := &script{rng: rand.New(rand.NewPCG(uint64(seed), 0))}
		if tr, _, err := try(src, programs.Options{Depth: 1 + seed%4, Shares: shares}, all); err != nil {
			t.Errorf("seed %d: %v\n%v", seed, err, tr)
		}
	}
}
