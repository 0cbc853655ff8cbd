package files

import (
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/status"
)

// MkdirAll makes a directory and those above it that are missing.
func (p *Policy) MkdirAll(name string) error {
	return p.change(name, func() error { return os.MkdirAll(name, 0o777) },
		func(root *os.Root, rel string) error { return root.MkdirAll(rel, 0o777) })
}

// Mkdir makes a directory. It fails with ALREADY_EXISTS if there is one.
func (p *Policy) Mkdir(name string) error {
	return p.change(name, func() error { return os.Mkdir(name, 0o777) },
		func(root *os.Root, rel string) error { return root.Mkdir(rel, 0o777) })
}

// Remove removes a file or an empty directory.
func (p *Policy) Remove(name string) error {
	return p.change(name, func() error { return os.Remove(name) },
		func(root *os.Root, rel string) error { return root.Remove(rel) })
}

// change does something to a name: f where everything is permitted, else in.
func (p *Policy) change(name string, f func() error, in func(root *os.Root, rel string) error) error {
	if p == nil {
		return p.told(writing, name, f())
	}
	root, rel, err := p.in(writing, name)
	if err != nil {
		return err
	}
	defer root.Close()
	return p.told(writing, name, in(root, rel))
}

// Rename gives a file another name, replacing what has it. Under a policy both
// names must lie below the same directory.
func (p *Policy) Rename(from, to string) error {
	if p == nil {
		return status.FromFile(os.Rename(from, to))
	}
	root, a, err := p.in(writing, from)
	if err != nil {
		return err
	}
	defer root.Close()
	path, err := filepath.Abs(to)
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
