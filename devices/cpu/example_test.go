package cpu_test

import (
	"fmt"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cpu"
)

// The ranges, and so the order in which partial sums are added, are the same
// on any number of threads.
func ExamplePool_Parallel() {
	pool := cpu.NewPool(cpu.Options{Threads: 4})
	defer pool.Close()

	const n, block = 1_000_000, 10_000
	parts := make([]float64, n/block)
	pool.Parallel(len(parts), 1, func(lo, hi int) {
		for b := lo; b < hi; b++ {
			for i := b * block; i < (b+1)*block; i++ {
				parts[b] += 1 / float64(i+1) / float64(i+2)
			}
		}
	})
	sum := 0.0
	for _, part := range parts {
		sum += part
	}
	fmt.Printf("%.6f\n", sum)
	// Output: 0.999999
}

// greeting is a task.
type greeting struct {
	text string
	done chan<- string
}

func (g greeting) Run(worker int) { g.done <- g.text }

// A publisher helps until each of its tasks has been claimed.
func ExamplePool_Publish() {
	pool := cpu.NewPool(cpu.Options{Threads: 2})
	defer pool.Close()

	done := make(chan string, 1)
	pool.Publish(greeting{"hello", done}, 1000)
	for pool.Help() {
	}
	fmt.Println(<-done)
	// Output: hello
}

// Importing the package makes CPUs available.
func Example() {
	all, err := devices.New(devices.Options{Threads: 1, Count: map[string]int{cpu.Type: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range all {
		fmt.Println(d.Attributes().Name)
		defer d.Close()
	}
	// Output:
	// /job:localhost/replica:0/task:0/device:CPU:0
	// /job:localhost/replica:0/task:0/device:CPU:1
}
