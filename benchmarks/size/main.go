// Command size measures what Troupe adds to a program: the size of stripped
// static binaries that link the actor library alone, Troupe's engine, and more
// and more families of operations.
//
//	go run ./benchmarks/size
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"text/tabwriter"
	"text/template"
)

// A program is what is linked.
type program struct {
	Name    string
	Actors  bool     // the actor library alone
	Session string   // else the package of sessions,
	Ops     []string // and families that it does not link by itself
}

const module = "github.com/troupe-go/troupe"

// programs in order of size.
var programs = []program{
	{Name: "the actor library alone", Actors: true},
	{Name: "session, no operations", Session: module + "/session"},
	{Name: "session, ops/control, ops/math", Session: module + "/session", Ops: []string{"control", "math"}},
	{Name: "session, ops/control, ops/math, ops/array", Session: module + "/session", Ops: []string{"control", "math", "array"}},
	{Name: "the root package: all families", Session: module},
}

// source is a program that uses what it links: it asks an actor, or runs a
// node of a graph.
var source = template.Must(template.New("main").Parse(`package main

import (
	"fmt"
{{- if .Actors}}
	"time"

	"github.com/asynkron/protoactor-go/actor"
{{- else}}
	"log"
	"os"

	tf "{{.Session}}"
{{- range .Ops}}
	_ "` + module + `/ops/{{.}}"
{{- end}}
{{- end}}
)

func main() {
{{- if .Actors}}
	system := actor.NewActorSystem()
	double := system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		if n, ok := c.Message().(int); ok {
			c.Respond(2 * n)
		}
	}))
	fmt.Println(system.Root.RequestFuture(double, 21, time.Minute).Result())
{{- else}}
	def, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	g := tf.NewGraph()
	if err := g.Import(def, ""); err != nil {
		log.Fatal(err)
	}
	s, err := tf.NewSession(g, nil)
	if err != nil {
		log.Fatal(err)
	}
	out, err := s.Run(nil, []tf.Output{g.Operation(os.Args[2]).Output(0)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value())
{{- end}}
}
`))

// write writes the program's source into dir and is the file's name.
func (p program) write(dir string) (string, error) {
	var b bytes.Buffer
	if err := source.Execute(&b, p); err != nil {
		return "", err
	}
	name := filepath.Join(dir, "main.go")
	return name, os.WriteFile(name, b.Bytes(), 0o600)
}

// size returns the size of the program's stripped static binary in bytes.
func (p program) size(dir string) (int64, error) {
	file, err := p.write(dir)
	if err != nil {
		return 0, err
	}
	binary := filepath.Join(dir, "binary")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, file)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s: %w\n%s", p.Name, err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func main() {
	if err := measure(); err != nil {
		log.Fatal(err)
	}
}

func measure() error {
	dir, err := os.MkdirTemp("", "size")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "MB\tmore\t  linked")
	const mega = 1e6
	var first int64
	for i, p := range programs {
		n, err := p.size(dir)
		if err != nil {
			return err
		}
		if i == 0 {
			first = n
		}
		fmt.Fprintf(w, "%.2f\t%.2f\t  %s\n", float64(n)/mega, float64(n-first)/mega, p.Name)
	}
	return w.Flush()
}
