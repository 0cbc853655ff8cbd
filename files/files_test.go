package files_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

// tree makes a directory with in/a.txt, in/b.txt, out/ and secret.txt, and the
// symbolic link in/link to secret.txt.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"in", "out"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"in/a.txt", "in/b.txt", "secret.txt"} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte(f), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.txt", filepath.Join(dir, "in", "link")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestReading(t *testing.T) {
	dir := tree(t)
	in := filepath.Join(dir, "in")
	some := &files.Policy{Read: []string{in}, Write: []string{filepath.Join(dir, "out")}}
	for _, c := range []struct {
		policy *files.Policy
		name   string
		code   status.Code
	}{
		{nil, "in/a.txt", status.OK},
		{nil, "secret.txt", status.OK},
		{nil, "in/link", status.OK},
		{nil, "nothing", status.NotFound},
		{nil, "in", status.FailedPrecondition},
		{some, "in/a.txt", status.OK},
		{some, "in/../in/b.txt", status.OK},
		{some, "in/nothing", status.NotFound},
		{some, "secret.txt", status.PermissionDenied},
		{some, "in/../secret.txt", status.PermissionDenied},
		{some, "in/link", status.PermissionDenied},
		{some, "out/x", status.PermissionDenied},
		{some, "in", status.FailedPrecondition},
		{&files.Policy{}, "in/a.txt", status.PermissionDenied},
		{&files.Policy{Read: []string{"/"}}, "secret.txt", status.OK},
	} {
		f, err := c.policy.Open(dir + "/" + c.name)
		if got := status.CodeOf(err); got != c.code {
			t.Errorf("%+v: %s: %v, want code %v", c.policy, c.name, err, c.code)
		}
		if err != nil {
			if !strings.Contains(err.Error(), c.name) {
				t.Errorf("%v does not name %s", err, c.name)
			}
			if c.code == status.PermissionDenied && !strings.Contains(err.Error(), "SessionOptions.Files") {
				t.Errorf("%v does not name the option", err)
			}
			continue
		}
		if text, err := io.ReadAll(f); err != nil || len(text) == 0 {
			t.Errorf("%s: %q, %v", c.name, text, err)
		}
		f.Close()
	}
}

func TestRelativeNames(t *testing.T) {
	t.Chdir(tree(t))
	p := &files.Policy{Read: []string{"in"}}
	f, err := p.Open("in/a.txt")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := p.Open("secret.txt"); status.CodeOf(err) != status.PermissionDenied {
		t.Errorf("secret.txt: %v", err)
	}
}

func TestWriting(t *testing.T) {
	for _, all := range []bool{true, false} {
		dir := tree(t)
		at := func(name string) string { return filepath.Join(dir, name) }
		var p *files.Policy
		if !all {
			p = &files.Policy{Write: []string{at("out")}}
		}
		f, err := p.Create(at("out/x"))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if _, err := p.CreateNew(at("out/x")); status.CodeOf(err) != status.AlreadyExists {
			t.Errorf("a second file of one name: %v", err)
		}
		for _, err := range []error{p.MkdirAll(at("out/d/e")), p.Rename(at("out/x"), at("out/d/y")), p.Remove(at("out/d/e"))} {
			if err != nil {
				t.Error(err)
			}
		}
		if err := p.Mkdir(at("out/d")); status.CodeOf(err) != status.AlreadyExists {
			t.Errorf("a directory of one name: %v", err)
		}
		if _, err := os.Stat(at("out/d/y")); err != nil {
			t.Error(err)
		}
		if all {
			continue
		}
		for what, err := range map[string]error{
			"create":    second(p.Create(at("in/new"))),
			"truncate":  second(p.Create(at("in/a.txt"))),
			"append":    second(p.Append(at("in/a.txt"))),
			"rename":    p.Rename(at("out/d/y"), at("in/y")),
			"move here": p.Rename(at("in/a.txt"), at("out/a")),
			"remove":    p.Remove(at("in/a.txt")),
			"mkdir":     p.MkdirAll(at("new/dir")),
			"read":      second(p.Open(at("out/d/y"))),
		} {
			if status.CodeOf(err) != status.PermissionDenied {
				t.Errorf("%s: %v", what, err)
			}
		}
		if b, _ := os.ReadFile(at("in/a.txt")); string(b) != "in/a.txt" {
			t.Errorf("a.txt is now %q", b)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestGlob(t *testing.T) {
	dir := tree(t)
	t.Chdir(dir)
	p := &files.Policy{Read: []string{"in"}}
	for _, c := range []struct{ pattern, want string }{
		{"in/*.txt", "in/a.txt in/b.txt"},
		{"in/a*", "in/a.txt"},
		{"in/a.txt", "in/a.txt"},
		{"in/none", ""},
		{"in/[ab].txt", "in/a.txt in/b.txt"},
		{"./in/b*", "./in/b.txt"},
	} {
		for _, q := range []*files.Policy{nil, p, {Read: []string{dir}}} {
			names, err := q.Glob(c.pattern)
			want := c.want
			if q == nil { // filepath.Glob cleans what it lists
				want = strings.ReplaceAll(want, "./", "")
				for i := range names {
					names[i] = strings.TrimPrefix(names[i], "./")
				}
			}
			if got := strings.Join(names, " "); got != want || err != nil {
				t.Errorf("%+v: %s: %q, %v, want %q", q, c.pattern, got, err, want)
			}
		}
	}
	for _, pattern := range []string{"*", "secret*", "/etc/*", "i*/a.txt", "in/../*.txt"} {
		if names, err := p.Glob(pattern); status.CodeOf(err) != status.PermissionDenied && len(names) > 0 {
			t.Errorf("%s: %v, %v", pattern, names, err)
		}
	}
}

// A file may be named by a URI.
func TestURIs(t *testing.T) {
	dir := t.TempDir()
	for k, p := range []*files.Policy{nil, {Read: []string{dir}, Write: []string{dir}}} {
		for i, prefix := range []string{"file://", "file:"} {
			name := prefix + dir + "/" + string(rune('a'+2*k+i))
			f, err := p.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if err := p.Rename(name, name+".new"); err != nil {
				t.Error(err)
			}
			if _, err := p.Stat(name + ".new"); err != nil {
				t.Error(err)
			}
			if list, err := p.Glob(name + "*"); err != nil || len(list) != 1 {
				t.Error(list, err)
			}
			if err := p.MkdirAll(name + "/x/y"); err != nil {
				t.Error(err)
			}
			if err := p.RemoveAll(name); err != nil {
				t.Error(err)
			}
		}
		if _, err := p.Open("file://elsewhere/a"); err == nil {
			t.Error("a file of another host is opened")
		}
	}
	if _, err := (&files.Policy{Read: []string{dir}}).Open("file:///etc/hostname"); status.CodeOf(err) != status.PermissionDenied {
		t.Error(err)
	}
}
