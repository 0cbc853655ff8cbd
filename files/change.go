package files

import (
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/status"
)

// A Change is one step by which the package changes the file system.
type Change struct {
	Kind     ChangeKind
	Name, To string // To is the new name where Kind is Renaming
}

// A ChangeKind is what a [Change] does.
type ChangeKind string

const (
	Creating   ChangeKind = "create"
	Writing    ChangeKind = "write" // to a [Replacement]
	Syncing    ChangeKind = "sync"  // the contents of a file, or the names in a directory
	Renaming   ChangeKind = "rename"
	Removing   ChangeKind = "remove"
	MakingDir  ChangeKind = "mkdir"
	SettingMod ChangeKind = "chmod"
)

// before reports a change that is about to be made.
func (p *Policy) before(kind ChangeKind, name, to string) error {
	if p == nil || p.Before == nil {
		return nil
	}
	return status.FromFile(p.Before(Change{kind, name, to}))
}

// MkdirAll makes a directory and those above it that are missing.
func (p *Policy) MkdirAll(name string) error {
	return p.change(MakingDir, name, func() error { return os.MkdirAll(local(name), 0o777) },
		func(root *os.Root, rel string) error { return root.MkdirAll(rel, 0o777) })
}

// Mkdir makes a directory. It fails with ALREADY_EXISTS if there is one.
func (p *Policy) Mkdir(name string) error {
	return p.change(MakingDir, name, func() error { return os.Mkdir(local(name), 0o777) },
		func(root *os.Root, rel string) error { return root.Mkdir(rel, 0o777) })
}

// Remove removes a file or an empty directory.
func (p *Policy) Remove(name string) error {
	return p.change(Removing, name, func() error { return os.Remove(local(name)) },
		func(root *os.Root, rel string) error { return root.Remove(rel) })
}

// RemoveAll removes a file, or a directory with everything in it. Without one it
// does nothing.
func (p *Policy) RemoveAll(name string) error {
	return p.change(Removing, name, func() error { return os.RemoveAll(local(name)) },
		func(root *os.Root, rel string) error { return root.RemoveAll(rel) })
}

// change does something to a name: f where everything is permitted, else in.
func (p *Policy) change(kind ChangeKind, name string, f func() error, in func(root *os.Root, rel string) error) error {
	if err := p.before(kind, name, ""); err != nil {
		return err
	}
	return p.at(writing, name, f, in)
}

// at calls f where everything is permitted, else in with the root that the name is
// below.
func (p *Policy) at(a access, name string, f func() error, in func(root *os.Root, rel string) error) error {
	if p == nil {
		return p.told(a, name, f())
	}
	root, rel, err := p.in(a, name)
	if err != nil {
		return err
	}
	defer root.Close()
	return p.told(a, name, in(root, rel))
}

// Rename returns a file another name, replacing what has it. Under a policy both
// names must lie below the same directory.
func (p *Policy) Rename(from, to string) error {
	if err := p.before(Renaming, from, to); err != nil {
		return err
	}
	if p == nil {
		return status.FromFile(os.Rename(local(from), local(to)))
	}
	root, a, err := p.in(writing, from)
	if err != nil {
		return err
	}
	defer root.Close()
	path, err := filepath.Abs(local(to))
	if err != nil {
		return status.FromFile(err)
	}
	dir, err := filepath.Abs(root.Name())
	if err != nil {
		return status.FromFile(err)
	}
	b, err := filepath.Rel(dir, path)
	if err != nil || !filepath.IsLocal(b) {
		return p.denied(writing, to)
	}
	return p.told(writing, to, root.Rename(a, b))
}
