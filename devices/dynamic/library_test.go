package dynamic

import (
	"runtime"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
)

// What is not there is an error that names it.
func TestOpen(t *testing.T) {
	_, err := Open("", "libnowhere.so.7")
	want := status.NotFound
	if runtime.GOOS != "linux" {
		want = status.Unimplemented
	}
	if status.CodeOf(err) != want || want == status.NotFound && !strings.Contains(err.Error(), "libnowhere.so.7") {
		t.Error(err)
	}
}

func TestResolve(t *testing.T) {
	lib, err := Open("libc.so.6")
	if err != nil {
		t.Skip("NOT CHECKED:", err)
	}
	var abs, none Function
	if err := lib.Resolve(map[string]*Function{"labs": &abs}); err != nil || abs.Call(uintptr(1<<40)) != 1<<40 {
		t.Error(err)
	}
	if err := lib.Resolve(map[string]*Function{"no_such_function": &none}); status.CodeOf(err) != status.NotFound || !strings.Contains(err.Error(), "no_such_function") {
		t.Error(err)
	}
}
