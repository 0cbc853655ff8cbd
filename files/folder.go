package files

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/status"
)

// A Folder is a directory that is filled under another name, and gets its own when
// all that is in it is on the disk. What a process that was killed left of it the
// next one of that name removes, as with a [Replacement].
type Folder struct {
	fs         *Policy
	name, temp string
	lock       *os.File
}

// NewFolder makes the directory. It fails with ALREADY_EXISTS if something has the
// name.
func (p *Policy) NewFolder(name string) (*Folder, error) {
	name = filepath.Clean(name)
	if _, err := p.lstat(name); err == nil {
		return nil, status.Errorf(status.AlreadyExists, "%s exists already", name)
	}
	d := &Folder{fs: p, name: name}
	return d, p.temporary(name, func(temp string) error {
		if err := p.Mkdir(temp); err != nil {
			return err
		}
		d.temp = temp
		if !lockable {
			return nil
		}
		f, err := p.openAny(writing, temp, os.O_RDONLY)
		if err != nil {
			_ = p.Remove(temp)
			return err
		}
		if !lock(f) || !p.names(temp, f) {
			f.Close()
			return errTaken
		}
		d.lock = f
		return nil
	})
}

// Path returns what the directory is called until it is whole.
func (d *Folder) Path() string { return d.temp }

// Commit returns the directory its name. The files in it must be on the disk, as those
// that a [Replacement] made are.
func (d *Folder) Commit() error {
	err := d.fs.directories(d.temp, d.fs.SyncDir)
	if err == nil {
		if _, there := d.fs.lstat(d.name); there == nil {
			err = status.Errorf(status.AlreadyExists, "%s exists already", d.name)
		}
	}
	if err == nil {
		err = d.fs.Rename(d.temp, d.name)
	}
	if err != nil {
		d.Discard()
		return err
	}
	d.unlock()
	return d.fs.SyncDir(filepath.Dir(d.name))
}

// Discard removes the directory and all that is in it instead.
func (d *Folder) Discard() {
	_ = d.fs.RemoveAll(d.temp)
	d.unlock()
}

func (d *Folder) unlock() {
	if d.lock != nil {
		d.lock.Close()
	}
}

// directories calls f for a directory and those below it, the innermost first.
func (p *Policy) directories(name string, f func(string) error) error {
	dir, err := p.openAny(writing, name, os.O_RDONLY)
	if err != nil {
		return err
	}
	entries, err := dir.ReadDir(-1)
	dir.Close()
	if err != nil {
		return p.told(writing, name, err)
	}
	for _, e := range entries {
		if e.Type()&fs.ModeDir != 0 {
			if err := p.directories(filepath.Join(name, e.Name()), f); err != nil {
				return err
			}
		}
	}
	return f(name)
}
