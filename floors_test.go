package troupe_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// floors is the table of the architecture: a package imports only packages of
// floors below its own, of its own parent, and of entries to its left in its
// row. "x/..." stands for the packages below x.
var floors = [][]string{
	{"plain", "status", "files", "files/faults", "wire"},
	{"tensor"},
	{"registry", "shape", "devices", "resource", "profile", "profile/sequence", "kernel"},
	{"graph/outline", "graph/function", "graph", "graph/sharing", "graph/...", "devices/...", "kernel/..."},
	{"plan", "plan/..."},
	{"ops/..."},
	{"gradients"},
	{"frames", "nodes/kind", "nodes/report", "nodes/unit/...", "nodes/unit", "nodes", "compile"},
	{"sequential", "sequential/...", "actors", "actors/...", "messages/...", "messages"},
	{"cluster/protocol", "cluster/simulation", "session", "model"},
	{"", "op", "op/...", "train", "layers"}, // the root package
	{"view", "serve/batch/...", "serve/batch", "serve/datatype", "serve", "serve/...", "conformance", "conformance/..."},
	{"cmd/...", "benchmarks", "benchmarks/...", "docs/..."},
}

// only lists who alone may import a module directly.
var only = map[string][]string{
	"github.com/asynkron/protoactor-go": {"actors", "actors/...", "messages"},
	"google.golang.org/grpc":            {"actors/remote", "serve/...", "cmd/troupe"},
	"github.com/ebitengine/purego":      {"devices/dynamic"},
}

const module = "github.com/troupe-go/troupe"

type listed struct {
	ImportPath string
	Imports    []string
}

func TestFloors(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := short(p.ImportPath)
		floor, place := find(name)
		if floor < 0 {
			t.Errorf("package %q stands on no floor: give it a place in the table", name)
			continue
		}
		for _, path := range p.Imports {
			for m, allowed := range only {
				if strings.HasPrefix(path, m) && !matchAny(allowed, name) {
					t.Errorf("%s imports %s, which only %v may", name, path, allowed)
				}
			}
			if path != module && !strings.HasPrefix(path, module+"/") {
				continue
			}
			other := short(path)
			f, q := find(other)
			switch {
			case f < floor, f == floor && q < place, isParent(other, name), family(name) == family(other) && q == place && f == floor:
			default:
				t.Errorf("%s (floor %d) imports %s (floor %d)", name, floor+1, other, f+1)
			}
		}
	}
}

// family returns the first element of a path: packages of one "x/..." entry may
// import each other, as the compiler already forbids cycles.
func family(name string) string {
	head, _, _ := strings.Cut(name, "/")
	return head
}

func isParent(parent, child string) bool { return strings.HasPrefix(child, parent+"/") }

func short(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

func find(name string) (floor, place int) {
	for f, row := range floors {
		for p, entry := range row {
			if match(entry, name) {
				return f, p
			}
		}
	}
	return -1, -1
}

func match(entry, name string) bool {
	if prefix, ok := strings.CutSuffix(entry, "/..."); ok {
		return strings.HasPrefix(name, prefix+"/")
	}
	return entry == name
}

func matchAny(entries []string, name string) bool {
	for _, e := range entries {
		if match(e, name) {
			return true
		}
	}
	return false
}
