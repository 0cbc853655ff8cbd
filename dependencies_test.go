package troupe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// golang runs the go command in a folder.
func golang(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestLinked holds the list of modules that a program links against what the root
// package imports.
func TestLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	linked := slices.Compact(slices.Sorted(slices.Values(strings.Fields(string(out)))))
	text, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "## What a program links")
	if !ok {
		t.Fatal("docs/dependencies.md does not say what a program links")
	}
	var listed []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			listed = append(listed, regexp.MustCompile(`[a-z.]+\.[a-z]+/[\w./-]+`).FindAllString(cells[1], -1)...)
		}
	}
	slices.Sort(listed)
	if !slices.Equal(linked, listed) {
		for _, m := range linked {
			if !slices.Contains(listed, m) {
				t.Errorf("the root package links %s, which docs/dependencies.md does not list", m)
			}
		}
		for _, m := range listed {
			if !slices.Contains(linked, m) {
				t.Errorf("docs/dependencies.md lists %s, which the root package does not link", m)
			}
		}
	}
}

// user is a program that uses Troupe beside what its actor library brings.
const user = `package user

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	tf "github.com/troupe-go/troupe"
)

var (
	_ metric.Meter               = otel.Meter("user")
	_ metric.MeterProvider       = sdkmetric.NewMeterProvider()
	_ prometheus.Registerer      = prometheus.NewRegistry()
	_ grpc.ServiceRegistrar      = (*grpc.Server)(nil)
	_ = proto.Marshal
	_ *tf.Session
)
`

// TestBesideCurrentReleases compiles a program that uses Troupe together with what
// others use today, as the module proxy has it. Without the proxy nothing is checked,
// and the test says so.
func TestBesideCurrentReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles gRPC")
	}
	root, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, versions := range map[string][]string{
		"latest": {"go.opentelemetry.io/otel@latest", "go.opentelemetry.io/otel/metric@latest", "go.opentelemetry.io/otel/sdk/metric@latest",
			"google.golang.org/grpc@latest", "github.com/prometheus/client_golang@latest", "google.golang.org/protobuf@latest"},
		"otel 1.29": nil,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{
				"user.go": user,
				"go.mod": "module user\n\ngo " + strings.TrimPrefix(runtime.Version(), "go") +
					"\n\nrequire github.com/troupe-go/troupe v0.0.0\nrequire go.opentelemetry.io/otel/metric v1.29.0\n\nreplace github.com/troupe-go/troupe => " + root + "\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if out, err := golang(t, dir, append([]string{"get", "."}, versions...)...); err != nil {
				if offline(t, dir) {
					t.Skip("NOT CHECKED: the module proxy cannot be reached")
				}
				t.Fatalf("go get: %v\n%s", err, out)
			}
			if out, err := golang(t, dir, "build", "."); err != nil {
				t.Errorf("the program does not compile: %v\n%s", err, out)
			}
		})
	}
}

// offline reports whether no module proxy answers.
func offline(t *testing.T, dir string) bool {
	_, err := golang(t, dir, "list", "-m", "-versions", "go.opentelemetry.io/otel")
	return err != nil
}

// TestPlayground holds what the core in a browser must not link: actors, sessions, a network
// and drivers.
func TestPlayground(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/playground")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), module+"/sequential\n") {
		t.Error("it has no engine")
	}
	for line := range strings.Lines(string(out)) {
		switch p := strings.TrimSuffix(line, "\n"); {
		case p == "net/http", p == module+"/session", p == module+"/actors", strings.Contains(p, "protoactor"), strings.Contains(p, "purego"), strings.Contains(p, "google.golang.org/grpc"):
			t.Errorf("the playground links %s", p)
		}
	}
}
