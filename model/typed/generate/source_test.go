package generate

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

var rewrite = flag.Bool("rewrite", false, "write the generated packages")

func info(dt tensor.DType, dims ...int64) model.TensorInfo {
	return model.TensorInfo{Name: "t:0", DType: dt, Shape: session.MakeShape(dims...)}
}

// hostile are signatures whose names and types are all that code does not expect.
var hostile = map[string]model.Signature{
	"plain_name": {
		Inputs: map[string]model.TensorInfo{
			"x": info(tensor.Float, -1, 3), "X": info(tensor.Float, -1, 3), "x_": info(tensor.Double), "in.x": info(tensor.Int64, 2),
			"a_1_2": info(tensor.Int8, -1, -1), "a_12": info(tensor.Bool, 0, -1), "A1_2": info(tensor.String, -1),
		},
		Outputs: map[string]model.TensorInfo{
			"qint": info(tensor.Qint8, 2), "half": info(tensor.Half, -1), "bfloat16": info(tensor.Bfloat16), "resource": info(tensor.Resource),
			"complex": info(tensor.Complex64, 1, -1), "unknown": {Name: "u:0", DType: tensor.Uint64}, "operation": {Name: "init"},
		},
		Defaults: map[string]*tensor.Tensor{"x": tensor.FromScalar(float32(0)), "x_": tensor.FromScalar(0.5), "a_1_2": tensor.FromScalar(int8(1))},
	},
	"plain-name":              {MethodName: "tensorflow/serving/classify"},
	"":                        {},
	"type":                    {Inputs: map[string]model.TensorInfo{"func": info(tensor.Float), "err": info(tensor.Float), "out": info(tensor.Float), "c": info(tensor.Float)}},
	"9 lives":                 {},
	"Model":                   {},
	"New":                     {},
	"Signatures":              {},
	"XInputs":                 {},
	"你好":                      {Inputs: map[string]model.TensorInfo{"é": info(tensor.Float), "ß": info(tensor.Float)}},
	"\n}\nfunc init() { /*":   {MethodName: "*/\nfunc init() {}\n", Outputs: map[string]model.TensorInfo{"\"`\n\r//go:embed x": info(tensor.Float)}},
	"\xff\xfe\x00":            {Inputs: map[string]model.TensorInfo{"\xff": info(tensor.Float), "\xfe": info(tensor.Float), "\x00": info(tensor.Float)}},
	"\u202egnirts":            {Outputs: map[string]model.TensorInfo{"\u2028": info(tensor.Float), "%s%d": info(tensor.Float)}},
	strings.Repeat("é ", 999): {Outputs: map[string]model.TensorInfo{strings.Repeat("a", 9999): info(tensor.Float)}},
	strings.Repeat("é ", 998): {},
	"sparse":                  {Inputs: map[string]model.TensorInfo{"x": {}}},
	"composite":               {Outputs: map[string]model.TensorInfo{"x": {}}},
	"__saved_model_init_op":   {},
}

// TestHostile: whatever the names are, the code is that of the package internal/hostile, which
// compiles with the others.
func TestHostile(t *testing.T) {
	source, left, err := Source(Config{Package: "hostile", Model: "models/\n*/ evil", Signatures: hostile})
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 2 || !strings.Contains(left[0], "composite") || !strings.Contains(left[1], "sparse is left out: input x is not one tensor") {
		t.Errorf("%q", left)
	}
	const golden = "internal/hostile/hostile_troupe.go"
	if *rewrite {
		if err := os.WriteFile(golden, source, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || string(want) != string(source) {
		t.Errorf("%s is not what is generated (%v): -rewrite writes it", golden, err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), golden, source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	methods := 0
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if methods++; d.Name.Name == "init" || !d.Name.IsExported() {
				t.Errorf("a function %s", d.Name.Name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].Name != "_" {
					t.Errorf("a variable %s", v.Names[0].Name)
				}
			}
		}
	}
	if want := len(hostile) - 3 + 1; methods != want { // and New
		t.Errorf("%d functions, want %d", methods, want)
	}
	for _, line := range strings.Split(string(source), "\n") {
		if strings.HasPrefix(line, "//go:") || strings.Contains(line, "\u202e") || strings.Contains(line, "\r") {
			t.Errorf("%q", line)
		}
	}
}

// TestRefused: nothing is generated without a name or a signature.
func TestRefused(t *testing.T) {
	for _, c := range []Config{
		{Package: "", Signatures: hostile},
		{Package: "func", Signatures: hostile},
		{Package: "_", Signatures: hostile},
		{Package: "a.b", Signatures: hostile},
		{Package: "a"},
		{Package: "a", Signatures: map[string]model.Signature{"__x": {}}},
		{Package: "a", Signatures: map[string]model.Signature{"sparse": hostile["sparse"]}},
	} {
		if source, _, err := Source(c); err == nil {
			t.Errorf("%q: %s", c.Package, source)
		}
	}
}

// FuzzIdentifier: an identifier is one, and exported.
func FuzzIdentifier(f *testing.F) {
	for name := range hostile {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if id := identifier(name); !token.IsIdentifier(id) || !token.IsExported(id) {
			t.Errorf("%q: %q", name, id)
		}
		if text := quote(name); strings.ContainsAny(text, "\n\r\x00") {
			t.Errorf("%q: %q", name, text)
		}
	})
}
