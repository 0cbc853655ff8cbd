package logging_test

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/logging"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func scalar[T tensor.Element](x T) *tensor.Tensor { return tensor.Scalar(x).Tensor() }

func TestAssert(t *testing.T) {
	if _, err := kerneltest.Run("Assert", nil, scalar(true), scalar("unseen")); err != nil {
		t.Fatal(err)
	}
	_, err := kerneltest.Run("Assert", nil, scalar(false), scalar("counter went past"), scalar(int32(5)))
	var e *status.Error
	if !errors.As(err, &e) || e.Code != status.InvalidArgument || e.Message != "assertion failed: [counter went past] [5]" {
		t.Errorf("got %v", err)
	}
	many, _ := tensor.FromSlice([]int32{1, 2, 3, 4}, 4)
	if _, err := kerneltest.Run("Assert", nil, many, many); err == nil {
		t.Error("a condition that is no bool is accepted")
	}
	if _, err := kerneltest.Run("Assert", registry.Attrs{{Name: "summarize", Value: registry.IntAttr(2)}}, scalar(false), many); err == nil ||
		status.From(err).Message != "assertion failed: [1 2...]" {
		t.Errorf("got %v", err)
	}
}

func TestPrintPassesItsInputOn(t *testing.T) {
	x, _ := tensor.FromSlice([]float32{1, 2}, 2)
	text := printed(t, func() {
		out, err := kerneltest.Run("Print", registry.Attrs{{Name: "message", Value: registry.StringAttr("m: ")}}, x, x, scalar("s"))
		if err != nil {
			t.Fatal(err)
		}
		if len(out) != 1 || out[0].String() != x.String() {
			t.Errorf("Print put out %v", out)
		}
	})
	if text != "m: [1 2][s]\n" {
		t.Errorf("printed %q", text)
	}
}

func TestPrintV2(t *testing.T) {
	if text := printed(t, func() {
		if _, err := kerneltest.Run("PrintV2", nil, scalar("hello")); err != nil {
			t.Fatal(err)
		}
	}); text != "hello\n" {
		t.Errorf("printed %q", text)
	}
	if _, err := kerneltest.Run("PrintV2", registry.Attrs{{Name: "output_stream", Value: registry.StringAttr("file:///x")}}, scalar("hello")); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("a stream that is a file: %v", err)
	}
}

// printed returns what f prints to the standard error stream.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = w
	f()
	os.Stderr = before
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
