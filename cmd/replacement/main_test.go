package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program whose dependency has the binding builds with the replacement, and what
// either makes is the other's too.
func TestReplacement(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a module of its own")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.sum":  string(sums),
		"user.go": user,
		"go.mod": "module user\n\ngo 1.26.0\n\nrequire (\n" + troupe + " v0.0.0\n github.com/wamuir/graft v1.0.0\n)\n\n" +
			"replace (\n" + troupe + " => " + root + "\n github.com/wamuir/graft => ./graft\n)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(filepath.Join(dir, "graft"), "github.com/wamuir/graft", ""); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"), "GOWORK=off", "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the program does not compile: %v\n%s", err, out)
	}
}

// The packages have the paths that programs import.
func TestPaths(t *testing.T) {
	for module, folder := range map[string]string{
		"github.com/tensorflow/tensorflow": "tensorflow/go", "github.com/galeone/tensorflow": "tensorflow/go", "example.org/tf": "binding",
	} {
		dir, given := t.TempDir(), folder
		if bindings[module] != "" {
			given = ""
		}
		if err := write(dir, module, given); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"go.mod", folder + "/binding.go", folder + "/op/all.go"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
	}
	if err := write(t.TempDir(), "example.org/tf", ""); err == nil || !strings.Contains(err.Error(), "-package") {
		t.Errorf("a module that nobody knows: %v", err)
	}
}

// user is a program, or one of its dependencies, that uses the binding.
const user = `package user

import (
	tf "github.com/wamuir/graft/tensorflow"
	"github.com/wamuir/graft/tensorflow/op"
	"github.com/troupe-go/troupe"
)

func Neg(value any) (*troupe.Tensor, error) {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.ScalarShape()))
	y := op.Neg(s, x)
	graph, err := s.Finalize()
	if err != nil {
		return nil, err
	}
	var session *troupe.Session
	if session, err = tf.NewSession(graph, &tf.SessionOptions{}); err != nil {
		return nil, err
	}
	defer session.Close()
	in, err := tf.NewTensor(value)
	if err != nil {
		return nil, err
	}
	out, err := session.Run(map[tf.Output]*tf.Tensor{x: in}, []tf.Output{y}, nil)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
`
