package troupe_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors is the table of the architecture: a package imports only packages of
// floors below its own, its own parents, and of entries to its left in its
// row. "x/..." stands for the packages below x, which may import each other, "x/*"
// for such that may not. A package belongs to the entry with its name, or else to
// the first that stands for it.
var floors = [][]string{
	{"plain", "selection", "sorted", "status", "files", "files/faults", "wire"},
	{"tensor/jsontext", "tensor", "tensor/literal", "tensor/npy", "tensor/tensorproto", "tensor/*"},
	{"registry", "shape", "devices", "resource", "profile", "profile/sequence", "profile/recording", "kernel"},
	{
		"graph/outline", "graph/function", "graph", "graph/notation", "graph/*",
		"devices/cpu/vec", "devices/cpu", "devices/dynamic", "devices/cuda/internal/api", "devices/cuda/ptx", "devices/*", "devices/cuda/simulated",
		"kernel/philox", "kernel/elementwise/loopgen", "kernel/elementwise", "kernel/*",
	},
	{"plan", "plan/lower", "plan/*"},
	{"ops/image/jpeg", "ops/io/bundle", "ops/math/cast", "ops/math/reduction", "ops/*", "ops/all"},
	{"gradients"},
	{"frames", "nodes/kind", "nodes/report", "nodes/unit/gen", "nodes/unit/form", "nodes/unit/tile", "nodes/unit/code", "nodes/unit/machine", "nodes/unit", "nodes", "compile", "compile/cellular"},
	{"sequential", "sequential/...", "actors", "actors/...", "messages/protocol", "messages/explore", "messages"},
	{"cluster/protocol", "cluster/simulation", "session", "model", "model/typed", "model/typed/..."},
	{"", "op", "op/...", "train", "layers"}, // the root package
	{"view", "view/...", "cluster", "cluster/metrics", "serve/batch/...", "serve/batch", "serve/datatype", "serve", "serve/...", "conformance", "conformance/..."},
	{"cmd/...", "benchmarks", "benchmarks/...", "docs/..."},
}

// only lists the packages that may import a module directly.
var only = map[string][]string{
	"github.com/asynkron/protoactor-go": {"actors", "actors/...", "messages"},
	"google.golang.org/grpc":            {"actors/remote", "serve/...", "cmd/troupe", "benchmarks/sessions", "benchmarks/serving"},
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
	used := map[string]bool{} // entries that stand for a package
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p listed
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := short(p.ImportPath)
		floor, place := find(name)
		if floor < 0 {
			t.Errorf("package %q is on no floor: give it a place in the table", name)
			continue
		}
		used[floors[floor][place]] = true
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
			case f < floor, f == floor && q < place, isParent(other, name), f == floor && q == place && strings.HasSuffix(floors[f][q], "/..."):
			default:
				t.Errorf("%s (floor %d) imports %s (floor %d)", name, floor+1, other, f+1)
			}
		}
	}
	for _, row := range floors {
		for _, entry := range row {
			if !used[entry] {
				t.Errorf("no package is at %q of the table", entry)
			}
		}
	}
}

// TestFloorsOfArchitecture holds the packages that ARCHITECTURE.md lists, floor by floor,
// against the table.
func TestFloorsOfArchitecture(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		number, list, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		floor, err := strconv.Atoi(number)
		if !ok || err != nil {
			continue
		}
		rows++
		for item := range strings.SplitSeq(list, " · ") {
			quoted := strings.Split(item, "`")
			if name := quoted[1%len(quoted)]; !strings.ContainsAny(name, " …") && strings.HasPrefix(item, "`") {
				if f, _ := find(name); f != floor-1 {
					t.Errorf("%s is listed on floor %d and is on floor %d", name, floor, f+1)
				}
			}
		}
	}
	if rows != len(floors) {
		t.Errorf("ARCHITECTURE.md lists %d floors of %d", rows, len(floors))
	}
}

func isParent(parent, child string) bool { return strings.HasPrefix(child, parent+"/") }

func short(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, module), "/") }

func find(name string) (floor, place int) {
	for f, row := range floors {
		if p := slices.Index(row, name); p >= 0 {
			return f, p
		}
	}
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
	prefix, ok := strings.CutSuffix(entry, "/...")
	if !ok {
		prefix, ok = strings.CutSuffix(entry, "/*")
	}
	return ok && strings.HasPrefix(name, prefix+"/") || entry == name
}

func matchAny(entries []string, name string) bool {
	for _, e := range entries {
		if match(e, name) {
			return true
		}
	}
	return false
}
