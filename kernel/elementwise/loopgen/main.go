// Loopgen writes the kernels of elementwise operations whose arithmetic is too
// cheap for a function call per element or per scalar.
//
// It reads a table, loops.txt in the current directory:
//
//	file arithmetic
//	# kind   kernel  function  elements  result  scalars
//	binary   add     plus      Number    T       float32 float64 int32 int64
//	divide   intDiv  quotient  Integer   T       int32 int64
//	unary    neg     negate    Number    T       float32 float64 int32 int64
//
// and writes arithmetic_loops.go and so on. A star behind the elements says that the
// function has the same bits for integers with and without a sign, which then share code. A row makes a generic function, here addPairs,
// whose loops call the generic function plus, which the compiler inlines; for every type
// under "scalars" a kernel, here addInt32, whose Run computes scalars at once and which can
// be prepared; and newAdd, which returns the kernel for a dtype. The other types have one
// kernel, [elementwise.Pairing], and a function each: methods of generic types would be
// compiled twice for every type. A divide row is a binary one that refuses a second operand
// with a zero among its elements. Where a type has loops of its own, after "=", a unary row
// calls these, and a binary one has its methods elsewhere.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/format"
	"log"
	"os"
	"slices"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"
)

// A row is one line of the table.
type row struct {
	Kind, Kernel, Func, Elements string
	Bool                         bool // the result is bool, else T
	Bits                         bool // integers with and without a sign have the same function
	Scalars                      []string
	Loops                        map[string]string // loops of scalars' types that the package has: functions of unary rows, methods elsewhere of others
}

// Divide reports whether zeros are refused.
func (r row) Divide() bool { return r.Kind == "divide" }

// R returns the type of the results for elements of type t.
func (r row) R(t string) string {
	if r.Bool {
		return "bool"
	}
	return t
}

// As returns the type whose function elements of type t have.
func (r row) As(t string) string {
	if r.Bits {
		return strings.TrimPrefix(t, "u")
	}
	return t
}

// DT returns the dtype of the results, where that of the elements is dt.
func (r row) DT(dt string) string {
	if r.Bool {
		return "tensor.Bool"
	}
	return dt
}

// sets are the Go types of the constraints in package elementwise.
var sets = func() map[string][]string {
	integer := []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
	float := []string{"float32", "float64"}
	complexes := []string{"complex64", "complex128"}
	return map[string][]string{
		"Integer": integer,
		"Float":   float,
		"Real":    slices.Concat(float, integer),
		"Field":   slices.Concat(float, complexes),
		"Number":  slices.Concat(float, integer, complexes),
		"Bool":    {"bool"},
	}
}()

// Types are the Go types among the row's elements.
func (r row) Types() ([]string, error) {
	if t, ok := sets[r.Elements]; ok {
		return t, nil
	}
	return nil, fmt.Errorf("%s: no set of types %s", r.Kernel, r.Elements)
}

// Narrow reports whether half and bfloat16 are among the row's elements.
func (r row) Narrow() bool { return r.Elements != "Integer" && r.Elements != "Bool" }

// Floats are the row's floating-point types, of which kernels have loops that others
// drive: fused ones, and those of 16-bit types. There are none where the result is bool.
func (r row) Floats() (list []string) {
	if types, _ := r.Types(); !r.Bool {
		for _, t := range types {
			if strings.HasPrefix(t, "float") {
				list = append(list, t)
			}
		}
	}
	return list
}

// Others reports whether the row has types other than Floats.
func (r row) Others() bool {
	types, _ := r.Types()
	return len(types) > len(r.Floats())
}

// Float reports whether t is among Floats.
func (r row) Float(t string) bool { return slices.Contains(r.Floats(), t) }

// Typed are the types that have a kernel type of their own.
func (r row) Typed() []string {
	list := r.Floats()
	for _, t := range r.Scalars {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// IsTyped reports whether t is among Typed.
func (r row) IsTyped(t string) bool { return slices.Contains(r.Typed(), t) }

// Hot reports whether t is among the row's scalars.
func (r row) Hot(t string) bool { return slices.Contains(r.Scalars, t) }

// dtype names the dtype of a Go type.
func dtype(t string) string {
	switch t {
	case "float32":
		return "tensor.Float"
	case "float64":
		return "tensor.Double"
	}
	return "tensor." + title(t)
}

func title(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("loopgen: ")
	f, err := os.Open("loops.txt")
	if err != nil {
		log.Fatal(err)
	}
	files, err := parse(bufio.NewScanner(f))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		if err := f.write(os.Getenv("GOPACKAGE")); err != nil {
			log.Fatal(err)
		}
	}
}

type file struct {
	name string
	rows []row
}

func parse(s *bufio.Scanner) (files []*file, err error) {
	for line := 1; s.Scan(); line++ {
		w := strings.Fields(s.Text())
		switch {
		case len(w) == 0 || w[0][0] == '#':
		case w[0] == "file" && len(w) == 2:
			files = append(files, &file{name: w[1]})
		case (w[0] == "binary" || w[0] == "divide" || w[0] == "unary") && len(w) >= 5 && files != nil && (w[4] == "T" || w[4] == "bool"):
			f := files[len(files)-1]
			r := row{Kind: w[0], Kernel: w[1], Func: w[2], Elements: w[3], Bool: w[4] == "bool", Loops: map[string]string{}}
			r.Elements, r.Bits = strings.CutSuffix(r.Elements, "*")
			for _, scalar := range w[5:] {
				t, loop, _ := strings.Cut(scalar, "=")
				r.Scalars = append(r.Scalars, t)
				r.Loops[t] = loop
			}
			f.rows = append(f.rows, r)
		default:
			return nil, fmt.Errorf("loops.txt:%d: not understood: %s", line, s.Text())
		}
	}
	return files, s.Err()
}

func (f *file) write(pkg string) error {
	var b bytes.Buffer
	if err := source.ExecuteTemplate(&b, "header", pkg); err != nil {
		return err
	}
	for _, r := range f.rows {
		name := "binary"
		if r.Kind == "unary" {
			name = "unary"
		}
		if err := source.ExecuteTemplate(&b, name, r); err != nil {
			return err
		}
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return os.WriteFile(f.name+"_loops.go", text, 0o644)
}

var source = template.Must(template.New("").Funcs(template.FuncMap{
	"args": args, "dtype": dtype, "title": title,
}).Parse(`
{{define "header"}}// Code generated by loopgen from loops.txt. DO NOT EDIT.

package {{.}}

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)
{{end}}

{{define "scalars2"}}
	if in[0].Inside({{.dt}}) && in[1].Inside({{.dt}}) {
		{{if .r.Divide -}}
		y := tensor.Inner[{{.t}}](&in[1])
		if y == 0 {
			return divisionByZero()
		}
		tensor.SetScalar(&out[0], {{.r.DT .dt}}, {{.r.Func}}(tensor.Inner[{{.t}}](&in[0]), y))
		{{- else -}}
		tensor.SetScalar(&out[0], {{.r.DT .dt}}, {{.r.Func}}(tensor.Inner[{{.t}}](&in[0]), tensor.Inner[{{.t}}](&in[1])))
		{{- end}}
		return nil
	}
	return elementwise.Binary(ctx, in, out, {{.r.DT .dt}}, k, {{if .r.Divide}}withoutZero[{{.t}}]{{else}}nil{{end}})
{{- end}}

{{define "binary"}}{{$r := .}}
{{if .Others}}// {{.Kernel}}Pairs is {{.Func}}(x, y).
func {{.Kernel}}Pairs[T elementwise.{{.Elements}}](o, x, y tensor.Memory, s elementwise.Stretch) {
	to, a, b := tensor.Elements[{{.R "T"}}](o)[s.O:s.O+s.N], tensor.Elements[T](x), tensor.Elements[T](y)
	switch s.Repeats {
	case elementwise.RepeatsX:
		a, b := a[s.X], b[s.Y:s.Y+s.N]
		for i, y := range b[:len(to)] {
			to[i] = {{.Func}}(a, y)
		}
	case elementwise.RepeatsY:
		a, b := a[s.X:s.X+s.N], b[s.Y]
		for i, x := range a[:len(to)] {
			to[i] = {{.Func}}(x, b)
		}
	default:
		a, b := a[s.X:s.X+s.N], b[s.Y:s.Y+s.N]
		a, b = a[:len(to)], b[:len(to)]
		for i := range to {
			to[i] = {{.Func}}(a[i], b[i])
		}
	}
}
{{end}}{{range .Floats}}
// {{$r.Kernel}}Loops{{title .}} is {{$r.Func}}(x, y), for [elementwise.Loops].
type {{$r.Kernel}}Loops{{title .}} struct{}

func ({{$r.Kernel}}Loops{{title .}}) VV(o, x, y []{{.}}) {
	x, y = x[:len(o)], y[:len(o)]
	for i := range o {
		o[i] = {{$r.Func}}(x[i], y[i])
	}
}

func ({{$r.Kernel}}Loops{{title .}}) VS(o, x []{{.}}, y {{.}}) {
	for i, x := range x[:len(o)] {
		o[i] = {{$r.Func}}(x, y)
	}
}

func ({{$r.Kernel}}Loops{{title .}}) SV(o []{{.}}, x {{.}}, y []{{.}}) {
	for i, y := range y[:len(o)] {
		o[i] = {{$r.Func}}(x, y)
	}
}
{{end}}
{{- range .Typed}}
type {{$r.Kernel}}{{title .}} struct{ {{if $r.Float .}}{{$r.Kernel}}Loops{{title .}}{{end}} }

func (k *{{$r.Kernel}}{{title .}}) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	{{- if $r.Hot .}}{{template "scalars2" (args $r (dtype .) .)}}{{else}}
	return elementwise.Binary(ctx, in, out, {{$r.DT (dtype .)}}, k, nil)
	{{- end}}
}
{{if not (index $r.Loops .)}}
func (k *{{$r.Kernel}}{{title .}}) Pairs(o, x, y tensor.Memory, s elementwise.Stretch) {
	{{if $r.Float .}}elementwise.Pairs[{{.}}, {{.}}](k, o, x, y, s){{else}}{{$r.Kernel}}Pairs[{{.}}](o, x, y, s){{end}}
}
{{end}}
{{if and ($r.Hot .) (not $r.Divide)}}
func (k *{{$r.Kernel}}{{title .}}) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	return elementwise.PrepareBinary(in, {{$r.DT (dtype .)}}, k)
}
{{end}}{{if and (eq . "float32") ($r.Float .)}}
func (k *{{$r.Kernel}}{{title .}}) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	return elementwise.TileAlone(k, in, inner)
}

func (k *{{$r.Kernel}}{{title .}}) Elementwise() {}
{{end}}{{end}}
// new{{title .Kernel}} is the kernel for elements of dtype dt, nil if there is none.
func new{{title .Kernel}}(dt tensor.DType) kernel.Kernel {
	switch dt {
	{{- range .Types}}
	case {{dtype .}}:
		{{- if $r.IsTyped .}}
		return &{{$r.Kernel}}{{title .}}{}
		{{- else if $r.Divide}}
		return &elementwise.Pairing{Out: {{$r.DT "dt"}}, F: {{$r.Kernel}}Pairs[{{.}}], Check: withoutZero[{{.}}]}
		{{- else}}
		return &elementwise.Pairing{Out: {{$r.DT "dt"}}, F: {{$r.Kernel}}Pairs[{{$r.As .}}]}
		{{- end}}
	{{- end}}
	{{- if and .Narrow .Bool}}
	case tensor.Half:
		return &elementwise.Zip[tensor.Float16, bool]{In: dt, Out: {{.DT "dt"}}, F: elementwise.Test2[tensor.Float16]({{.Func}}[float32])}
	case tensor.Bfloat16:
		return &elementwise.Zip[tensor.BFloat16, bool]{In: dt, Out: {{.DT "dt"}}, F: elementwise.Test2[tensor.BFloat16]({{.Func}}[float32])}
	{{- else if .Narrow}}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.NarrowZip(dt, {{.Func}}[float32], {{.Kernel}}LoopsFloat32{})
	{{- end}}
	}
	return nil
}
{{end}}

{{define "scalars1"}}
	if in[0].Inside({{.dt}}) {
		tensor.SetScalar(&out[0], {{.r.DT .dt}}, {{.r.Func}}(tensor.Inner[{{.t}}](&in[0])))
		return nil
	}
	return elementwise.Unary(ctx, in, out, {{.r.DT .dt}}, k)
{{- end}}

{{define "unary"}}{{$r := .}}
// {{.Kernel}}V is {{.Func}}(x).
func {{.Kernel}}V[T elementwise.{{.Elements}}](o []{{.R "T"}}, x []T) {
	for i, x := range x[:len(o)] {
		o[i] = {{.Func}}(x)
	}
}

func {{.Kernel}}Each[T elementwise.{{.Elements}}](o, x tensor.Memory, to, from, n int) {
	{{.Kernel}}V(tensor.Elements[{{.R "T"}}](o)[to:to+n], tensor.Elements[T](x)[from:from+n])
}
{{range .Typed}}{{$loop := index $r.Loops .}}
type {{$r.Kernel}}{{title .}} struct{}
{{if or $loop ($r.Float .)}}
func (*{{$r.Kernel}}{{title .}}) V(o []{{$r.R .}}, x []{{.}}) { {{if $loop}}{{$loop}}{{else}}{{$r.Kernel}}V{{end}}(o, x) }
{{end}}
func (*{{$r.Kernel}}{{title .}}) Each(o, x tensor.Memory, to, from, n int) {
	{{if $loop}}{{$loop}}(tensor.Elements[{{$r.R .}}](o)[to:to+n], tensor.Elements[{{.}}](x)[from:from+n]){{else}}{{$r.Kernel}}Each[{{.}}](o, x, to, from, n){{end}}
}

func (k *{{$r.Kernel}}{{title .}}) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	{{- if $r.Hot .}}{{template "scalars1" (args $r (dtype .) .)}}{{else}}
	return elementwise.Unary(ctx, in, out, {{$r.DT (dtype .)}}, k)
	{{- end}}
}
{{if $r.Hot .}}
func (k *{{$r.Kernel}}{{title .}}) Prepare(in []tensor.Value, _ uint64) (kernel.Prepared, bool) {
	return elementwise.PrepareUnary(in, {{$r.DT (dtype .)}}, k)
}
{{end}}{{if and (eq . "float32") ($r.Float .)}}
func (k *{{$r.Kernel}}{{title .}}) Tile(in []kernel.TileInput, inner int) kernel.Tiling {
	return elementwise.TileAlone(k, in, inner)
}

func (k *{{$r.Kernel}}{{title .}}) Elementwise() {}
{{end}}{{end}}
// new{{title .Kernel}} is the kernel for elements of dtype dt, nil if there is none.
func new{{title .Kernel}}(dt tensor.DType) kernel.Kernel {
	switch dt {
	{{- range .Types}}
	case {{dtype .}}:
		{{- if $r.IsTyped .}}
		return &{{$r.Kernel}}{{title .}}{}
		{{- else}}
		return &elementwise.Mapping{Out: {{$r.DT "dt"}}, F: {{$r.Kernel}}Each[{{$r.As .}}]}
		{{- end}}
	{{- end}}
	{{- if and .Narrow .Bool}}
	case tensor.Half:
		return &elementwise.Map[tensor.Float16, bool]{In: dt, Out: {{.DT "dt"}}, F: elementwise.Test1[tensor.Float16]({{.Func}}[float32])}
	case tensor.Bfloat16:
		return &elementwise.Map[tensor.BFloat16, bool]{In: dt, Out: {{.DT "dt"}}, F: elementwise.Test1[tensor.BFloat16]({{.Func}}[float32])}
	{{- else if .Narrow}}
	case tensor.Half, tensor.Bfloat16:
		return elementwise.NarrowMap(dt, {{.Func}}[float32], {{or (index $r.Loops "float32") (printf "%sV[float32]" $r.Kernel)}})
	{{- end}}
	}
	return nil
}
{{end}}
`))

// args are what the inner templates need: the row, a dtype and a type.
func args(r row, dt, t string) map[string]any { return map[string]any{"r": r, "dt": dt, "t": t} }
