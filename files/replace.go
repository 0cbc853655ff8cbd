package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/troupe-go/troupe/status"
)

// A Replacement is a file that is written next to the one that it replaces, and gets
// its name when all of it is on the disk: whenever the process or the machine stops,
// the name stands for what was there before or for all of the new file.
//
// Until then the file is called NAME.temp0 (or temp1 and so on, where several write
// at once), and locked. What a process that was killed left under such a name is not
// locked, and the next replacement of NAME removes it. Where the system has no such
// locks, Windows keeps others from removing a file that is open.
type Replacement struct {
	fs         *Policy
	name, temp string
	file       *os.File
	perm       fs.FileMode // of the file that is replaced, 0 if there is none
	err        error       // of a Write
	renamed    bool
}

// Replace begins the replacement of a file, which need not exist. A symbolic link of
// that name is itself replaced; see [Policy.WriteFile].
func (p *Policy) Replace(name string) (*Replacement, error) {
	if name == "" {
		return nil, status.FromFile(&fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT})
	}
	r := &Replacement{fs: p, name: name}
	if info, err := p.lstat(name); err == nil && info.Mode().IsRegular() {
		r.perm = info.Mode().Perm()
	}
	return r, p.temporary(name, func(temp string) error {
		f, err := p.CreateNew(temp)
		if err != nil {
			return err
		}
		r.temp, r.file = temp, f
		if !lock(f) || !p.names(temp, f) { // removed before it could be locked
			f.Close()
			return errTaken
		}
		if r.perm != 0 {
			if err = p.before(SettingMod, temp, ""); err == nil {
				err = status.FromFile(f.Chmod(r.perm))
			}
			if err != nil {
				r.Discard()
			}
		}
		return err
	})
}

// errTaken is the error of a temporary file that was lost to another process.
var errTaken = status.Errorf(status.AlreadyExists, "another process took the temporary file")

// mostWriters bounds how many replace one file at once.
const mostWriters = 100

// temporary calls create with the first temporary name for name that is free, and
// removes those that processes left behind.
func (p *Policy) temporary(name string, create func(temp string) error) error {
	for i := range mostWriters {
		temp := temporaryName(name, i)
		p.removeAbandoned(temp)
		if _, err := p.lstat(temp); err == nil {
			continue // it is in use
		}
		err := create(temp)
		if status.CodeOf(err) == status.AlreadyExists {
			continue // since now
		}
		switch {
		case err == nil:
			p.sweep(name, i+1)
		case status.CodeOf(err) == status.NotFound:
			return status.Errorf(status.NotFound, "%s cannot be written: there is no folder %s", name, filepath.Dir(name))
		}
		return err
	}
	return status.Errorf(status.ResourceExhausted, "%s; %d files %s and so on are in use: remove them if nothing is being written", name, mostWriters, temporaryName(name, 0))
}

// temporaryName is temporary name i for what will be called name.
func temporaryName(name string, i int) string {
	const most = 200 // a system may permit no more than 255 bytes
	dir, base := filepath.Split(name)
	return fmt.Sprintf("%s%s.temp%d", dir, base[:min(len(base), most)], i)
}

// Sweep removes what processes that were killed left of replacements of name, and
// leaves alone what is being written.
func (p *Policy) Sweep(name string) { p.sweep(name, 0) }

func (p *Policy) sweep(name string, from int) {
	const gap = 2 // of two writers at once the first may have been done
	for i, missing := from, 0; i < mostWriters && missing < gap; i++ {
		if !p.removeAbandoned(temporaryName(name, i)) {
			missing++
		}
	}
}

// removeAbandoned removes a temporary file or directory that nobody has locked. It
// returns false if there is none.
func (p *Policy) removeAbandoned(temp string) bool {
	info, err := p.lstat(temp)
	if err != nil {
		return false
	}
	if !info.Mode().IsRegular() && !info.IsDir() {
		return true // not made here
	}
	f, err := p.openAny(writing, temp, os.O_RDONLY)
	if err != nil {
		return true
	}
	defer f.Close()
	if !lock(f) || !p.names(temp, f) {
		return true
	}
	if !lockable {
		f.Close()
	}
	_ = p.RemoveAll(temp) // what cannot be removed is in the way of no one
	return true
}

// names reports whether a name still stands for an open file.
func (p *Policy) names(name string, f *os.File) bool {
	a, err := p.lstat(name)
	if err != nil {
		return false
	}
	b, err := f.Stat()
	return err == nil && os.SameFile(a, b)
}

func (p *Policy) lstat(name string) (info fs.FileInfo, err error) {
	err = p.at(writing, name, func() (err error) { info, err = os.Lstat(name); return err },
		func(root *os.Root, rel string) (err error) { info, err = root.Lstat(rel); return err })
	return info, err
}

// Write writes to the new file. After an error the replacement cannot be committed.
func (r *Replacement) Write(b []byte) (int, error) {
	if r.err == nil {
		r.err = r.fs.before(Writing, r.temp, "")
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.file.Write(b)
	r.err = r.fs.told(writing, r.name, err)
	return n, r.err
}

// Commit returns the file its name when its contents are on the disk. After an error
// what was there before is still there, unless [Replacement.Renamed] says otherwise.
func (r *Replacement) Commit() error {
	err := r.err
	if err == nil {
		err = r.fs.before(Syncing, r.temp, "")
	}
	if err == nil {
		err = r.fs.told(writing, r.name, r.file.Sync())
	}
	if err == nil && !lockable { // the system renames no open file
		err = r.fs.told(writing, r.name, r.file.Close())
	}
	if err == nil {
		err = r.fs.Rename(r.temp, r.name)
	}
	if err != nil {
		r.Discard()
		return err
	}
	r.renamed = true
	r.file.Close() // it is on the disk; until here it was locked
	return r.fs.SyncDir(filepath.Dir(r.name))
}

// Renamed reports whether the name stands for the new file, also where Commit failed
// because it is not known whether the disk has the name.
func (r *Replacement) Renamed() bool { return r.renamed }

// Discard removes the new file instead.
func (r *Replacement) Discard() {
	_ = r.fs.Remove(r.temp)
	r.file.Close()
	if !lockable {
		_ = r.fs.Remove(r.temp)
	}
}

// SyncDir brings the names in a directory to the disk, where the system can: files that
// were made, renamed or removed in it.
func (p *Policy) SyncDir(name string) error {
	if err := p.before(Syncing, name, ""); err != nil {
		return err
	}
	f, err := p.openAny(writing, name, os.O_RDONLY)
	if err != nil {
		return nil // a directory may be writable and not readable
	}
	defer f.Close()
	err = f.Sync()
	if !lockable || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return p.told(writing, name, err)
}

// WriteFile replaces a file, or makes it, as a whole: with what write writes, if that
// returns no error, and else not at all. Of a symbolic link the file that it leads to
// is replaced. A file that is there keeps its permissions, and must be writable.
//
// A pipe or a device that the policy names is written to as it is.
func (p *Policy) WriteFile(name string, write func(io.Writer) error) error {
	return p.writeFile(name, p.regular, write)
}

// WriteFile is [Policy.WriteFile] for a file that the user of a program names: any file, and
// any pipe or device.
func WriteFile(name string, write func(io.Writer) error) error {
	return (*Policy)(nil).writeFile(name, func(name string, info fs.FileInfo) error {
		if info.IsDir() {
			return (*Policy)(nil).regular(name, info)
		}
		return nil
	}, write)
}

func (p *Policy) writeFile(name string, permitted func(string, fs.FileInfo) error, write func(io.Writer) error) error {
	name, err := p.followed(name)
	if err != nil {
		return err
	}
	special := standsForOpen(name)
	if info, err := p.stat(writing, name); err == nil {
		if err := permitted(name, info); err != nil {
			return err
		}
		special = special || !info.Mode().IsRegular()
		f, err := p.openAny(writing, name, os.O_WRONLY)
		if err != nil {
			return err
		}
		if special {
			return status.FromFile(errors.Join(buffered(f, write), f.Close()))
		}
		f.Close()
	}
	r, err := p.Replace(name)
	if err != nil {
		return err
	}
	if err := buffered(r, write); err != nil {
		r.Discard()
		return err
	}
	return r.Commit()
}

// buffered calls write with a buffer before w.
func buffered(w io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := write(b); err != nil {
		return err
	}
	return status.FromFile(b.Flush())
}

// standsForOpen reports whether a name is of /dev or /proc, where it may stand for an open file.
// /dev/shm is a folder like any.
func standsForOpen(name string) bool {
	place := filepath.ToSlash(name)
	return strings.HasPrefix(place, "/proc/") || strings.HasPrefix(place, "/dev/") && !strings.HasPrefix(place, "/dev/shm/")
}

// followed returns the name of the file that symbolic links lead to. Those that stand for open
// files are left alone.
func (p *Policy) followed(name string) (string, error) {
	const most = 40
	for range most {
		info, err := p.lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || standsForOpen(name) {
			return name, nil // what is wrong, if anything, is found when it is opened
		}
		var to string
		err = p.at(writing, name, func() (err error) { to, err = os.Readlink(name); return err },
			func(root *os.Root, rel string) (err error) { to, err = root.Readlink(rel); return err })
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", status.FromFile(&fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP})
}
