// Package faults injects failures into the file system, for tests of atomicity when a
// write fails, the process is killed or the machine loses power. It works through
// [files.Policy.Before], as any watcher of changes could.
//
// A [Disk] is a directory. A test runs an operation under its policy, with the first
// change failing, then the second and so on, until the operation succeeds, and looks
// at what is in the directory after each.
package faults

import (
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/files"
)

// ErrStopped is the error of every change after the disk has stopped.
var ErrStopped = errors.New("the disk has stopped")

// A Disk is a directory whose changes fail when they are told to.
type Disk struct {
	dir string

	mu      sync.Mutex
	changes int
	fail    func(n int, c files.Change) error
	// What power loss undoes: files whose contents were not synced, and names that
	// were changed in directories that were not synced since, in their order.
	unsynced map[string]bool
	names    []change
}

// A change is a change of names, with what was there before.
type change struct {
	files.Change
	was   []byte // what the name, or the new name, stood for
	there bool   // whether it stood for a file
}

// New returns a disk whose directory exists.
func New(dir string) *Disk { return &Disk{dir: dir, unsynced: map[string]bool{}} }

// Policy permits reading and writing the directory.
func (d *Disk) Policy() *files.Policy {
	return &files.Policy{Read: []string{d.dir}, Write: []string{d.dir}, Before: d.before}
}

// Fail makes change n from now on fail with err, and no other.
func (d *Disk) Fail(n int, err error) {
	d.set(func(i int, _ files.Change) error {
		if i == n {
			return err
		}
		return nil
	})
}

// FailKind makes all changes of a kind fail with err.
func (d *Disk) FailKind(kind files.ChangeKind, err error) {
	d.set(func(_ int, c files.Change) error {
		if c.Kind == kind {
			return err
		}
		return nil
	})
}

// Stop makes change n from now on fail, and all after it, as if the process had been
// killed before it.
func (d *Disk) Stop(n int) {
	d.set(func(i int, _ files.Change) error {
		if i >= n {
			return ErrStopped
		}
		return nil
	})
}

func (d *Disk) set(fail func(int, files.Change) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.changes, d.fail = 0, fail
}

// Changes returns how many changes were begun since the last call that says what fails.
func (d *Disk) Changes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

func (d *Disk) before(c files.Change) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.changes
	d.changes++
	if d.fail != nil {
		if err := d.fail(n, c); err != nil {
			return err
		}
	}
	switch c.Kind {
	case files.Creating, files.Writing:
		d.unsynced[c.Name] = true
	case files.Syncing:
		delete(d.unsynced, c.Name)
		d.names = slices.DeleteFunc(d.names, func(x change) bool { return filepath.Dir(x.Name) == c.Name })
	case files.Renaming:
		x := change{Change: c}
		x.was, x.there = contents(c.To)
		d.names = append(d.names, x)
		if d.unsynced[c.Name] {
			delete(d.unsynced, c.Name)
			d.unsynced[c.To] = true
		}
	case files.Removing:
		x := change{Change: c}
		if x.was, x.there = contents(c.Name); x.there {
			d.names = append(d.names, x)
		}
		delete(d.unsynced, c.Name)
	}
	return nil
}

func contents(name string) ([]byte, bool) {
	b, err := os.ReadFile(name)
	return b, err == nil
}

// PowerLoss does to the directory what losing power may do: of files that were not
// synced the contents are lost, and of changes of names that no sync of their
// directory followed, any are undone, as the random numbers say.
func (d *Disk) PowerLoss(random *rand.Rand) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failed []error
	for _, name := range slices.Sorted(maps.Keys(d.unsynced)) {
		if info, err := os.Stat(name); err == nil && info.Size() > 0 {
			failed = append(failed, os.Truncate(name, random.Int64N(info.Size())))
		}
	}
	for _, x := range slices.Backward(d.names) {
		if random.IntN(2) == 0 {
			continue
		}
		at := x.Name
		if x.Kind == files.Renaming {
			if os.Rename(x.To, x.Name) != nil {
				continue // a change before it was undone
			}
			at = x.To
		}
		if x.there {
			if err := os.WriteFile(at, x.was, 0o666); !errors.Is(err, fs.ErrNotExist) { // its directory is gone
				failed = append(failed, err)
			}
		}
	}
	clear(d.unsynced)
	d.names, d.fail = nil, nil
	return errors.Join(failed...)
}
