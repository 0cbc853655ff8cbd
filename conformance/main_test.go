package conformance_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// childArgument makes the test binary a child that runs cases.
const childArgument = "conformance-child"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArgument {
		memory := int64(0)
		if len(os.Args) > 2 {
			memory, _ = strconv.ParseInt(os.Args[2], 10, 64)
		}
		if err := conformance.Serve(context.Background(), os.Stdin, os.Stdout, memory); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// Operations that misbehave.
func init() {
	define := func(op string, run func()) {
		registry.Define(op).Output("y: float").Stateful()
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
			return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
				run()
				out[0] = tensor.Scalar[float32](1)
				return nil
			}), nil
		}, op)
	}
	define("TestOne", func() {})
	define("TestPrint", func() { fmt.Println("printed by a graph") })
	define("TestPanic", func() { panic("oh no") })
	define("TestExit", func() {
		fmt.Fprintln(os.Stderr, "last words")
		os.Exit(7)
	})
	define("TestHang", func() { time.Sleep(time.Hour) })
	define("TestHoard", func() {
		for range 1 << 10 {
			hoard = append(hoard, make([]byte, 16<<20))
			time.Sleep(time.Millisecond)
		}
	})
}

var hoard [][]byte
