package cpu

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/troupe-go/troupe/files"
)

// A reader reads what is mapped.
type reader struct {
	data []byte
	sum  int
}

func (r *reader) Run(int) {
	for _, b := range r.data {
		r.sum += int(b)
	}
}

// TestTaskReadsCutOffFile: a task that reads a mapped file that has been cut off panics, and
// does not end the process, on whichever goroutine it runs.
func TestTaskReadsCutOffFile(t *testing.T) {
	if !files.CanMap {
		t.Skip("files are not mapped here")
	}
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, make([]byte, 4*os.Getpagesize()), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := new(files.Maps).Map(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 2} {
		faults := make(chan *PanicError, 1)
		p := NewPool(Options{Threads: threads, OnPanic: func(_ Task, err *PanicError) { faults <- err }})
		p.Publish(&reader{data: m.Bytes()}, int64(WakeWork)) // wakes the worker if it has parked
		if threads == 1 {
			p.Help()
		}
		if err := files.Fault(<-faults); err == nil {
			t.Errorf("%d threads: the panic is not known as a fault", threads)
		}
		p.Close()
	}
	runtime.KeepAlive(m)
}
