// Gen writes what there is for scalars of machine types: the operations of forms and the
// tables that find them, the opcodes of units, and the interpreter's loop.
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"strings"
	"text/template"
)

// A family is an operation on scalars for several element types.
type family struct {
	ops   string // TensorFlow's names
	name  string // in opcodes
	types string
	unary bool
	out   string // element type of the result; "" is that of the operands
	expr  string // of x and y
	then  string // what to do with the result, r; the loop is too large for calls to be inlined
	slow  string // when the kernel must be asked; "" is never
}

const (
	ints   = "int32 int64"
	floats = "float32 float64"
	reals  = ints + " " + floats
)

var families = []family{
	{ops: "AddV2 Add", name: "Add", types: reals, expr: "x + y"},
	{ops: "Sub", name: "Sub", types: reals, expr: "x - y"},
	{ops: "Mul", name: "Mul", types: reals, expr: "x * y"},
	{ops: "RealDiv Div", name: "Over", types: floats, expr: "x / y"},
	{ops: "TruncateDiv Div", name: "Quotient", types: ints, expr: "x / y", slow: "y == 0"},
	{ops: "TruncateMod Mod", name: "Remainder", types: ints, expr: "x % y", slow: "y == 0"},
	{ops: "FloorDiv", name: "FloorQuotient", types: ints, expr: "x / y", then: "if (x < 0) != (y < 0) && r*y != x { r-- }", slow: "y == 0"},
	{ops: "FloorMod", name: "FloorRemainder", types: ints, expr: "x % y", then: "if r != 0 && (r < 0) != (y < 0) { r += y }", slow: "y == 0"},
	{ops: "Maximum", name: "Max", types: reals, expr: "max(x, y)"},
	{ops: "Minimum", name: "Min", types: reals, expr: "min(x, y)"},
	{ops: "Neg", name: "Neg", types: reals, unary: true, expr: "-x"},
	{ops: "Abs", name: "Abs", types: reals, unary: true, expr: "max(x, -x)"},
	{ops: "Square", name: "Square", types: reals, unary: true, expr: "x * x"},
	{ops: "ToBool", name: "NotZero", types: reals, unary: true, out: "bool", expr: "x != 0"},
	{ops: "LogicalAnd", name: "And", types: "bool", expr: "x && y"},
	{ops: "LogicalOr", name: "Or", types: "bool", expr: "x || y"},
	{ops: "LogicalNot", name: "Not", types: "bool", unary: true, expr: "!x"},
	{ops: "Less", name: "Less", types: reals, out: "bool", expr: "x < y"},
	{ops: "LessEqual", name: "LessEqual", types: reals, out: "bool", expr: "x <= y"},
	{ops: "Greater", name: "Greater", types: reals, out: "bool", expr: "x > y"},
	{ops: "GreaterEqual", name: "GreaterEqual", types: reals, out: "bool", expr: "x >= y"},
	{ops: "Equal", name: "Equal", types: reals + " bool", out: "bool", expr: "x == y"},
	{ops: "NotEqual", name: "NotEqual", types: reals + " bool", out: "bool", expr: "x != y"},
}

// conversions that need no look at the value.
var conversions = []string{"int32 int64", "int64 int32", "int32 float32", "int32 float64", "int64 float32", "int64 float64", "float32 float64"}

// fixed is how many opcodes are not generated.
const fixed = 20

// An instr is one opcode.
type instr struct {
	Name, Ops, From, To, Expr, Then, Slow, DType string
	Unary                                        bool
	Test                                         bool // has forms that jump
}

var dtypes = map[string]string{"bool": "Bool", "int32": "Int32", "int64": "Int64", "float32": "Float", "float64": "Double"}

func main() {
	var list []instr
	for _, f := range families {
		for _, t := range strings.Fields(f.types) {
			out := f.out
			if out == "" {
				out = t
			}
			list = append(list, instr{
				Name: f.name + dtypes[t], Ops: f.ops, From: t, To: out, Expr: f.expr, Then: f.then, Slow: f.slow, DType: dtypes[t], Unary: f.unary,
				Test: f.out == "bool" && t != "bool" && !f.unary,
			})
		}
	}
	var casts []instr
	for _, c := range conversions {
		from, to, _ := strings.Cut(c, " ")
		casts = append(casts, instr{Name: dtypes[from] + "To" + dtypes[to], From: from, To: to, DType: dtypes[from], Expr: dtypes[to]})
	}
	t, err := template.New("gen").Funcs(template.FuncMap{"fields": strings.Fields}).ParseGlob("gen/*.tmpl")
	if err != nil {
		log.Fatal(err)
	}
	opcodes := fixed + len(list) + len(casts) + 5
	for _, i := range list {
		if i.Test {
			opcodes += 3
		}
	}
	none := make([]int, 256-opcodes)
	for i := range none {
		none[i] = i
	}
	data := map[string]any{"Scalars": list, "Casts": casts, "Metered": false, "None": none}
	write(t, "scalars", data, "form/scalars_generated.go")
	write(t, "opcodes", data, "code/opcodes_generated.go")
	write(t, "exec", data, "machine/exec_generated.go")
	data["Metered"] = true
	write(t, "exec", data, "machine/exec_metered_generated.go")
}

// write writes what a template makes to a file.
func write(t *template.Template, name string, data any, file string) {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		log.Fatal(err)
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		fmt.Fprintln(os.Stderr, b.String())
		log.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		log.Fatal(err)
	}
}
