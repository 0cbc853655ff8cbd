package session_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/troupe-go/troupe/ops/io"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A session's graphs use the files that its options permit, and no other.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{in, out} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{in + "/a": "alpha", dir + "/b": "beta"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g := session.NewGraph()
	add := func(spec session.OpSpec) *session.Operation {
		op, err := g.AddOperation(spec)
		if err != nil {
			t.Fatal(err)
		}
		return op
	}
	name := add(session.OpSpec{Type: "Placeholder", Name: "name", Attrs: map[string]any{"dtype": tensor.String}}).Output(0)
	text := add(session.OpSpec{Type: "Placeholder", Name: "text", Attrs: map[string]any{"dtype": tensor.String}}).Output(0)
	read := add(session.OpSpec{Type: "ReadFile", Name: "read", Input: []session.Input{name}})
	write := add(session.OpSpec{Type: "WriteFile", Name: "write", Input: []session.Input{name, text}})
	list := add(session.OpSpec{Type: "MatchingFiles", Name: "list", Input: []session.Input{name}})
	names := add(session.OpSpec{Type: "Const", Name: "names", Attrs: map[string]any{"dtype": tensor.String, "value": column(t, "x")}}).Output(0)
	specs := add(session.OpSpec{Type: "Const", Name: "specs", Attrs: map[string]any{"dtype": tensor.String, "value": column(t, "")}}).Output(0)
	save := add(session.OpSpec{Type: "SaveV2", Name: "save", Input: []session.Input{name, names, specs, session.OutputList{text}}})
	restore := add(session.OpSpec{Type: "RestoreV2", Name: "restore", Input: []session.Input{name, names, specs}, Attrs: map[string]any{"dtypes": []tensor.DType{tensor.String}}})

	for _, c := range []struct {
		policy *session.FilePolicy
		op     *session.Operation
		name   string
		code   status.Code
	}{
		{nil, read, dir + "/b", status.OK},
		{&session.FilePolicy{}, read, in + "/a", status.PermissionDenied},
		{&session.FilePolicy{Read: []string{in}}, read, in + "/a", status.OK},
		{&session.FilePolicy{Read: []string{in}}, read, in + "/../b", status.PermissionDenied},
		{&session.FilePolicy{Read: []string{in}}, write, in + "/a", status.PermissionDenied},
		{&session.FilePolicy{Read: []string{in}}, list, in + "/*", status.OK},
		{&session.FilePolicy{Read: []string{in}}, list, dir + "/*", status.PermissionDenied},
		{&session.FilePolicy{Write: []string{out}}, write, out + "/c/d", status.OK},
		{&session.FilePolicy{Write: []string{out}}, save, out + "/model", status.OK},
		{&session.FilePolicy{Write: []string{out}}, save, in + "/model", status.PermissionDenied},
		{&session.FilePolicy{Write: []string{out}}, restore, out + "/model", status.PermissionDenied},
		{&session.FilePolicy{Read: []string{out}}, restore, out + "/model", status.OK},
	} {
		s, err := session.NewSession(g, &session.SessionOptions{Files: c.policy})
		if err != nil {
			t.Fatal(err)
		}
		feeds := map[session.Output]*session.Tensor{name: tensor.FromScalar(c.name), text: tensor.FromScalar("gamma")}
		_, err = s.RunContext(context.Background(), feeds, nil, []*session.Operation{c.op})
		if got := status.CodeOf(err); got != c.code {
			t.Errorf("%s %s under %+v: %v, want code %v", c.op.Name(), c.name, c.policy, err, c.code)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if b, _ := os.ReadFile(in + "/a"); string(b) != "alpha" {
		t.Errorf("a file that may only be read is now %q", b)
	}
}

// column returns a vector of one string.
func column(t *testing.T, text string) *session.Tensor {
	v, err := tensor.FromSlice([]string{text}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
