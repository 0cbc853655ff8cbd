package code

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Array is a tensor's elements in a buffer.
type Array struct {
	Buffer devices.Buffer
	Type   tensor.DType
	Dims   []int64
}

// Elements returns how many an array has.
func (a Array) Elements() int64 {
	n := int64(1)
	for _, d := range a.Dims {
		n *= d
	}
	return n
}

// An element is how a type appears in code.
type element struct {
	name    string // in the names of functions
	compute string // the type that it is computed with
	stored  string
	class   byte // f, i, u, b: float, integer, unsigned, bool
}

var elements = map[tensor.DType]element{
	tensor.Float: {"f32", "f32", "f32", 'f'}, tensor.Double: {"f64", "f64", "f64", 'f'},
	tensor.Half: {"f16", "f32", "u16", 'f'}, tensor.Bfloat16: {"bf16", "f32", "u16", 'f'},
	tensor.Int8: {"i8", "i8", "i8", 'i'}, tensor.Int16: {"i16", "i16", "i16", 'i'},
	tensor.Int32: {"i32", "i32", "i32", 'i'}, tensor.Int64: {"i64", "i64", "i64", 'i'},
	tensor.Uint8: {"u8", "u8", "u8", 'u'}, tensor.Uint16: {"u16", "u16", "u16", 'u'},
	tensor.Uint32: {"u32", "u32", "u32", 'u'}, tensor.Uint64: {"u64", "u64", "u64", 'u'},
	tensor.Bool: {"b8", "u8", "u8", 'b'},
}

// computed is the type of elements of what elements are computed with, and sizes how many
// bytes a type of code has.
var (
	computed = map[string]tensor.DType{"f32": tensor.Float, "f64": tensor.Double, "i8": tensor.Int8, "i16": tensor.Int16, "i32": tensor.Int32, "i64": tensor.Int64,
		"u8": tensor.Uint8, "u16": tensor.Uint16, "u32": tensor.Uint32, "u64": tensor.Uint64}
	sizes = map[string]int{"f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8}
)

// load and store are expressions for an element of an array.
func (e element) load(at string) string {
	if e.compute != e.stored {
		return "from_" + e.name + "(" + at + ")"
	}
	return at
}

func (e element) store(value string) string {
	if e.compute != e.stored {
		return "to_" + e.name + "(" + value + ")"
	}
	return "(" + e.stored + ")(" + value + ")"
}

// heading returns what a source begins with that uses elements of these types, and indices of
// 64 bits if they are wide.
func heading(wide bool, types ...element) string {
	var b strings.Builder
	if wide {
		b.WriteString("#define WIDE\n")
	}
	b.WriteString(prelude)
	double, small := false, false
	for _, e := range types {
		double = double || e.compute == "f64"
		small = small || e.compute != e.stored
	}
	if double {
		b.WriteString("#if defined(__OPENCL_VERSION__) && __OPENCL_VERSION__ < 120\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\ntypedef double f64;\n")
	}
	if small {
		b.WriteString(narrow)
	}
	return b.String()
}

// made has all functions that were made, by name.
var made sync.Map // string → *devices.Code

// function returns the function of a name, and writes it if there is none. Its indices have
// 64 bits.
func function(name string, write func(b *strings.Builder), types ...element) *devices.Code {
	return written(name, true, func(_ string, b *strings.Builder) { write(b) }, types...)
}

// reachable is how far indices of 32 bits go, with room for a step beyond.
const reachable = 1 << 30

// indexed returns a function whose indices stay below reach, and have 32 bits if that is
// enough; write is told its name, which says so.
func indexed(name string, reach int64, write func(name string, b *strings.Builder), types ...element) *devices.Code {
	if reach > reachable {
		return written(name+"_wide", true, write, types...)
	}
	return written(name, false, write, types...)
}

// reach returns the most elements that one of some arrays has.
func reach(arrays ...Array) (most int64) {
	for _, a := range arrays {
		most = max(most, a.Elements())
	}
	return most
}

func written(name string, wide bool, write func(name string, b *strings.Builder), types ...element) *devices.Code {
	if c, ok := made.Load(name); ok {
		return c.(*devices.Code)
	}
	var b strings.Builder
	b.WriteString(heading(wide, types...))
	write(name, &b)
	c, _ := made.LoadOrStore(name, &devices.Code{Entry: name, Source: b.String()})
	return c.(*devices.Code)
}

// Made calls f with all functions that were made so far.
func Made(f func(*devices.Code)) {
	made.Range(func(_, c any) bool { f(c.(*devices.Code)); return true })
}

// element of an array's type; an error if accelerators have none.
func elementOf(t tensor.DType) (element, error) {
	e, ok := elements[t]
	if !ok {
		return e, status.Errorf(status.Unimplemented, "accelerators have no code for elements of type %v", t)
	}
	return e, nil
}

// perElement makes a function whose threads each compute one element, i.
func perElement(name, parameters, body string, types ...element) *devices.Code {
	return function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "KERNEL %s(%s, i64 n) {\n  EACH(i, n) {\n%s  }\n}\n", name, parameters, body)
	}, types...)
}

// typed is perElement with the type that elements of e are computed with as T.
func typed(name string, e element, parameters, body string, types ...element) *devices.Code {
	return helped(name, e, "", parameters, body, types...)
}

// helped is typed with functions of T before it.
func helped(name string, e element, helpers, parameters, body string, types ...element) *devices.Code {
	return function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %s T;\n%s%sKERNEL %s(%s, i64 n) {\n  EACH(i, n) {\n%s  }\n}\n", e.compute, e.extremes(), helpers, name, parameters, body)
	}, append(types, e)...)
}

// A call collects the arguments of a launch.
type call struct{ launch devices.Launch }

func (c *call) reads(bs ...devices.Buffer) *call {
	for _, b := range bs {
		c.launch.Args = append(c.launch.Args, devices.Arg{Buffer: b, Access: devices.Reads})
	}
	return c
}

func (c *call) writes(bs ...devices.Buffer) *call {
	for _, b := range bs {
		c.launch.Args = append(c.launch.Args, devices.Arg{Buffer: b, Access: devices.Writes})
	}
	return c
}

func (c *call) updates(bs ...devices.Buffer) *call {
	for _, b := range bs {
		c.launch.Args = append(c.launch.Args, devices.Arg{Buffer: b, Access: devices.Reads | devices.Writes})
	}
	return c
}

func (c *call) i64(ns ...int64) *call {
	for _, n := range ns {
		c.launch.Args = append(c.launch.Args, devices.Arg{Bits: uint64(n), Bytes: 8})
	}
	return c
}

func (c *call) u32(ns ...uint32) *call {
	for _, n := range ns {
		c.launch.Args = append(c.launch.Args, devices.Arg{Bits: uint64(n), Bytes: 4})
	}
	return c
}

func (c *call) f32(xs ...float64) *call {
	for _, x := range xs {
		c.launch.Args = append(c.launch.Args, devices.Arg{Bits: uint64(math.Float32bits(float32(x))), Bytes: 4})
	}
	return c
}

// group is how many threads a group has, where nothing else decides.
const group = 256

// mostGroups is enough to fill any device; threads of more elements do several.
const mostGroups = 4096

// flat launches a function whose threads share out n elements.
func (c *call) flat(f *devices.Code, n int64) []devices.Launch {
	return c.grid(f, [3]int{int(min((n+group-1)/group, mostGroups)), 1, 1}, [3]int{group, 1, 1})
}

func (c *call) grid(f *devices.Code, groups, size [3]int) []devices.Launch {
	c.launch.Code, c.launch.Groups, c.launch.Size = f, groups, size
	return []devices.Launch{c.launch}
}

// mistake returns an error of ours.
func mistake(format string, args ...any) error {
	return status.Errorf(status.Internal, "code: %s", fmt.Sprintf(format, args...))
}
