package bundle

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/files/faults"
	"github.com/troupe-go/troupe/tensor"
)

// A checkpoint that replaces another of its prefix is there as a whole, or the other
// one is, wherever a change of the file system fails, the process is killed or the
// machine loses power; the next one leaves nothing else behind.
func TestReplaceFaults(t *testing.T) {
	write := func(fs *files.Policy, prefix, text string) error {
		w, err := Create(fs, prefix)
		if err != nil {
			return err
		}
		for _, name := range []string{"a", "b"} {
			if err := w.Add(name, mustParse(t, tensor.Int32, text)); err != nil {
				w.Discard()
				return err
			}
		}
		return w.Finish()
	}
	is := func(prefix string) string {
		r, err := Open(nil, prefix)
		if err != nil {
			return ""
		}
		defer r.Close()
		var all [2]tensor.Value
		for i, name := range []string{"a", "b"} {
			if all[i], err = r.Read(Heap, name, nil); err != nil {
				t.Errorf("%s: %v", prefix, err)
				return "damaged"
			}
		}
		a, b := all[0].Tensor().String(), all[1].Tensor().String()
		if a != b {
			return "a mixture"
		}
		return a
	}
	merge := func(fs *files.Policy, prefix, text string) error {
		parts := []string{filepath.Join(filepath.Dir(prefix), "p1")}
		if err := write(nil, parts[0], text); err != nil {
			return err
		}
		return Merge(fs, parts, prefix, false)
	}
	for what, replace := range map[string]func(*files.Policy, string, string) error{"write": write, "merge": merge} {
		for _, fault := range []error{syscall.ENOSPC, syscall.EIO, faults.ErrStopped} {
			for had := range 3 {
				for n, done := 0, false; !done; n++ {
					for seed := range uint64(2) {
						dir := t.TempDir()
						prefix := filepath.Join(dir, "m")
						old := ""
						for i := range had {
							old = []string{"[1,2]", "[3,4]"}[i]
							if err := write(nil, prefix, old); err != nil {
								t.Fatal(err)
							}
							old = is(prefix)
						}
						disk := faults.New(dir)
						if fault == faults.ErrStopped {
							disk.Stop(n)
						} else {
							disk.Fail(n, fault)
						}
						err := replace(disk.Policy(), prefix, "[5,6]")
						done = disk.Changes() <= n
						if done && err != nil {
							t.Fatal(err)
						}
						if err := disk.PowerLoss(rand.New(rand.NewPCG(seed, uint64(n)))); err != nil {
							t.Fatal(err)
						}
						got := is(prefix)
						if err == nil && got == old || got != old && got != printed(t, "[5,6]") {
							t.Errorf("%s: %v at change %d of one that replaces %q: %q (%v)", what, fault, n, old, got, err)
						}
						if what == "merge" {
							continue // parts may be left without their names
						}
						if err := write(nil, prefix, "[7,8]"); err != nil {
							t.Fatal(err)
						}
						if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 || is(prefix) != printed(t, "[7,8]") {
							t.Errorf("%v at change %d left %v, %v", fault, n, entries, err)
						}
						if err := Remove(nil, prefix); err != nil {
							t.Error(err)
						}
						if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
							t.Errorf("%v at change %d, removed: %v, %v", fault, n, entries, err)
						}
					}
				}
			}
		}
	}
}

func printed(t *testing.T, text string) string {
	v := mustParse(t, tensor.Int32, text)
	return v.Tensor().String()
}
