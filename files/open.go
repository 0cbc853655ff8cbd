package files

import (
	"io/fs"
	"os"

	"github.com/troupe-go/troupe/status"
)

// Open opens a file for reading.
func (p *Policy) Open(name string) (*os.File, error) {
	return p.open(reading, name, os.O_RDONLY)
}

// Create opens a file for writing, making it or emptying the one that is there.
func (p *Policy) Create(name string) (*os.File, error) {
	return p.open(writing, name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
}

// CreateNew is Create for a name that nothing may have yet; it fails with
// ALREADY_EXISTS if something has.
func (p *Policy) CreateNew(name string) (*os.File, error) {
	return p.open(writing, name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}

// Append opens a file for writing at its end, making it if it is missing.
func (p *Policy) Append(name string) (*os.File, error) {
	return p.open(writing, name, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
}

// open looks at what a name is before it opens it, for a pipe would wait for
// its other end, and again afterwards, as it may have become something else.
func (p *Policy) open(a access, name string, flag int) (*os.File, error) {
	info, err := p.stat(a, name)
	if err == nil {
		err = p.regular(name, info)
	} else if flag&os.O_CREATE != 0 && status.CodeOf(err) == status.NotFound {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		if err := p.before(Creating, name, ""); err != nil {
			return nil, err
		}
	}
	f, err := p.openAny(a, name, flag)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = p.regular(name, info)
	}
	if err != nil {
		f.Close()
		return nil, status.FromFile(err)
	}
	return f, nil
}

func (p *Policy) openAny(a access, name string, flag int) (*os.File, error) {
	if p == nil {
		f, err := os.OpenFile(local(name), flag, 0o666)
		if err != nil {
			return nil, p.told(a, name, err)
		}
		return f, nil
	}
	root, rel, err := p.in(a, name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(rel, flag, 0o666)
	if err != nil {
		return nil, p.told(a, name, err)
	}
	return f, nil
}

// Stat describes a file that may be read.
func (p *Policy) Stat(name string) (fs.FileInfo, error) { return p.stat(reading, name) }

func (p *Policy) stat(a access, name string) (fs.FileInfo, error) {
	if p == nil {
		info, err := os.Stat(local(name))
		return info, p.told(a, name, err)
	}
	root, rel, err := p.in(a, name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	return info, p.told(a, name, err)
}
