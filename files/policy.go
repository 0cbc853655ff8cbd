package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/troupe-go/troupe/status"
)

// A Policy says which files may be read and written. A nil Policy permits every
// regular file that the process itself may use; the zero Policy permits none.
//
// A directory stands for everything below it. Names that a graph gives are
// resolved within it by [os.Root]: neither ".." nor a symbolic link leads out.
// Relative names, of files as of directories, begin at the working directory. A name may
// be a URI, "file:///dir/name".
type Policy struct {
	Read  []string // directories whose files may be read
	Write []string // directories in which files may be made, replaced, renamed and removed
	// Special lists pipes, devices and sockets below these directories that may
	// be used, each by name; others are refused, under a nil Policy all of them.
	Special []string
	// Before, if not nil, is called before each change that is made to the file
	// system, apart from writes to files that [Policy.Create] and its like opened;
	// the change is not made, and fails, if it returns an error. Tests inject faults
	// with it. It may be called by several goroutines at once.
	Before func(Change) error
}

// An access is one of the two things that may be permitted.
type access string

const (
	reading access = "reading"
	writing access = "writing"
)

func (p *Policy) dirs(a access) []string {
	if a == reading {
		return p.Read
	}
	return p.Write
}

// denied returns the error for a name that the policy does not permit.
func (p *Policy) denied(a access, name string) error {
	permitted := "no file"
	if dirs := p.dirs(a); len(dirs) > 0 {
		permitted = "files below " + strings.Join(dirs, ", ")
	}
	return status.Errorf(status.PermissionDenied, "%s; %s it is not permitted: SessionOptions.Files permits %s %s", name, a, a, permitted)
}

// local returns the name of a file that is given by a URI, "file:///a" or "file:/a", and
// every other name as it is.
func local(name string) string {
	rest, ok := strings.CutPrefix(name, "file:")
	if !ok {
		return name
	}
	if path, ok := strings.CutPrefix(rest, "//"); ok && strings.HasPrefix(path, "/") {
		return path
	}
	if strings.HasPrefix(rest, "/") && !strings.HasPrefix(rest, "//") {
		return rest
	}
	return name
}

// in opens the root below which a name lies, and gives the name within it.
func (p *Policy) in(a access, name string) (*os.Root, string, error) {
	path, err := filepath.Abs(local(name))
	if err != nil {
		return nil, "", status.FromFile(err)
	}
	for _, dir := range p.dirs(a) {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, "", status.FromFile(err)
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, "", status.FromFile(err)
		}
		return root, rel, nil
	}
	return nil, "", p.denied(a, name)
}

// told returns an error of the system the name that the graph gave.
func (p *Policy) told(a access, name string, err error) error {
	if err == nil {
		return nil
	}
	if strings.HasSuffix(err.Error(), "path escapes from parent") { // os.Root's, which has no variable
		return p.denied(a, name)
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = &fs.PathError{Op: path.Op, Path: name, Err: path.Err}
	}
	return status.FromFile(err)
}

// regular refuses what is neither a regular file nor named by the policy.
func (p *Policy) regular(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return status.FromFile(&fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR})
	case p != nil && slices.ContainsFunc(p.Special, func(s string) bool { return sameName(s, name) }):
		return nil
	default:
		return status.Errorf(status.PermissionDenied, "%s; it is not a regular file (%v), and SessionOptions.Files does not name it", name, mode.Type())
	}
}

func sameName(a, b string) bool {
	a, errA := filepath.Abs(local(a))
	b, errB := filepath.Abs(local(b))
	return errA == nil && errB == nil && a == b
}

// Replacing returns the policy under which a file that may be written may be read as well:
// whoever replaces a file may need to know what it was.
func (p *Policy) Replacing() *Policy {
	if p == nil {
		return nil
	}
	q := *p
	q.Read = p.Write
	return &q
}
