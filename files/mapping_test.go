package files_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

func mapped(t *testing.T, maps *files.Maps, content []byte) (*files.Mapping, string) {
	t.Helper()
	if !files.CanMap {
		t.Skip("files are not mapped here")
	}
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := maps.Map(f)
	if err != nil {
		t.Fatal(err)
	}
	return m, name
}

// read sums up bytes on a goroutine that turns faults into panics.
func read(b []byte) (sum int, fault any) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { fault = recover() }()
	for _, x := range b {
		sum += int(x)
	}
	return sum, nil
}

func TestMapping(t *testing.T) {
	page, maps := os.Getpagesize(), &files.Maps{}
	content := bytes.Repeat([]byte{1}, 8*page)
	m, name := mapped(t, maps, content)
	if !bytes.Equal(m.Bytes(), content) {
		t.Error("the memory differs from the file")
	}
	if n := files.Mapped(); n < int64(len(content)) {
		t.Errorf("%d bytes are mapped of a file of %d", n, len(content))
	}
	m.Drop(m.Bytes()[1 : 3*page])
	if sum, fault := read(m.Bytes()); sum != len(content) || fault != nil {
		t.Errorf("after pages were dropped: %d, %v", sum, fault)
	}
	if err := os.Truncate(name, int64(3*page)); err != nil {
		t.Fatal(err)
	}
	if sum, fault := read(m.Bytes()[:3*page]); sum != 3*page || fault != nil {
		t.Errorf("what is still in the file: %d, %v", sum, fault)
	}
	_, fault := read(m.Bytes())
	err := files.Fault(fault)
	if status.CodeOf(err) != status.DataLoss || !strings.Contains(err.Error(), name) {
		t.Errorf("a fault in a file that was cut off is %v", err)
	}
	for _, other := range []any{nil, "text", os.ErrNotExist} {
		if err := files.Fault(other); err != nil {
			t.Errorf("Fault(%v) = %v", other, err)
		}
	}
	runtime.KeepAlive(m)
}

// A fault elsewhere is nothing that a file explains.
func TestFaultElsewhere(t *testing.T) {
	maps := &files.Maps{}
	m, name := mapped(t, maps, make([]byte, os.Getpagesize()))
	if err := os.Truncate(name, 0); err != nil {
		t.Fatal(err)
	}
	_, fault := read(m.Bytes())
	if files.Fault(fault) == nil {
		t.Fatal("no fault")
	}
	runtime.KeepAlive(m)
	m = nil
	ended(t, maps)
	if err := files.Fault(fault); err != nil {
		t.Errorf("of a file that is no longer mapped: %v", err)
	}
}

// A mapping ends when nothing refers to it, and not before.
func TestMappingEnds(t *testing.T) {
	maps := &files.Maps{}
	m, _ := mapped(t, maps, make([]byte, 1))
	for range 3 {
		runtime.GC()
	}
	if n := maps.Len(); n != 1 {
		t.Errorf("%d mappings are left of one that is in use", n)
	}
	runtime.KeepAlive(m)
	m = nil
	ended(t, maps)
}

// ended waits until no mapping is left.
func ended(t *testing.T, maps *files.Maps) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		if maps.Len() == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d mappings are left", maps.Len())
}

func TestMapFails(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Dir(empty), empty} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, maps := range []*files.Maps{nil, {}} {
			if m, err := maps.Map(f); err == nil || maps.Len() != 0 || maps.Check() != nil {
				t.Errorf("Map(%s) = %v, %v", name, m, err)
			}
		}
	}
}

// A file that is not what it was is found, whatever has happened to it; one of which only
// the name has changed is what it was.
func TestMapsCheck(t *testing.T) {
	for what, test := range map[string]struct {
		change  func(name string) error
		changed bool
	}{
		"nothing": {func(string) error { return nil }, false},
		"removed": {os.Remove, false},
		"renamed": {func(name string) error { return os.Rename(name, name+"2") }, false},
		"replaced": {func(name string) error {
			return (*files.Policy)(nil).WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, "1234"); return err })
		}, false},
		"cut off": {func(name string) error { return os.Truncate(name, 1) }, true},
		"longer":  {func(name string) error { return os.Truncate(name, 100) }, true},
		"touched": {func(name string) error { return os.Chtimes(name, time.Time{}, time.Unix(1, 0)) }, true},
	} {
		maps := &files.Maps{}
		m, name := mapped(t, maps, []byte("text"))
		if err := test.change(name); err != nil {
			t.Fatal(err)
		}
		if err := maps.Check(); (err != nil) != test.changed || err != nil && status.CodeOf(err) != status.DataLoss {
			t.Errorf("%s: %v", what, err)
		}
		if text := string(m.Bytes()[:1]); text != "t" {
			t.Errorf("%s: it begins with %q", what, text)
		}
		runtime.KeepAlive(m)
	}
}

// Check, which every step asks, allocates nothing.
func TestMapsCheckAllocatesNothing(t *testing.T) {
	maps := &files.Maps{}
	m, _ := mapped(t, maps, []byte("text"))
	if n := testing.AllocsPerRun(100, func() { _ = maps.Check() }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	runtime.KeepAlive(m)
}
