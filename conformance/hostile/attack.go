package hostile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// An Attack builds a graph and says what is to be run of it.
type Attack struct {
	Name  string
	Build func(b *builder)
}

// Attacks are all attacks, by kind.
//
// They are made at the first call: some take megabytes, which every process of a test that
// imports this package would take as it starts.
func Attacks() []Attack { return all() }

var all = sync.OnceValue(func() (all []Attack) {
	for _, kind := range []func() []Attack{nesting, texts, holders, windows, products, summaries, functions, shapes, backwards, datasets, codecs, places, temporaries, devices, profiles, givers, tables, pictures, unasked, sizes, loops, messages} {
		all = append(all, kind()...)
	}
	return all
})

// GraphDef returns the serialized graph of the attack.
func (a Attack) GraphDef() ([]byte, error) {
	b := &builder{Scope: op.NewScope()}
	a.Build(b)
	g, err := b.Finalize()
	if b.lines != "" {
		g = graph.New()
		err = notation.Add(g, b.lines)
	}
	if err != nil || b.def != nil || b.read != nil {
		return b.def, err
	}
	var out bytes.Buffer
	_, err = g.WriteTo(&out)
	return out.Bytes(), err
}

// A builder is a scope with what attacks are made of.
type builder struct {
	*op.Scope
	fetches []tf.Output
	targets []*tf.Operation
	def     []byte                  // instead of what the scope has: a serialized GraphDef; the tensor "y:0" is fetched
	lines   string                  // the same, as text
	read    func(limit int64) error // instead of a graph: reads a file that may become so many bytes
	devices int                     // of the session, if not one
	apart   bool                    // SessionOptions.SeparateSteps
	profile bool                    // the run is profiled
}

func (b *builder) fetch(o ...tf.Output) { b.fetches = append(b.fetches, o...) }

// loop runs body n times on variables that begin as init.
func (b *builder) loop(n int32, init []tf.Output, body func(s *op.Scope, v []tf.Output) []tf.Output) []tf.Output {
	one := op.Const(b.SubScope("one"), int32(1))
	limit := op.Const(b.SubScope("limit"), n)
	vars := append([]tf.Output{op.Const(b.SubScope("begin"), int32(0))}, init...)
	return op.While(b.Scope, vars,
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return append([]tf.Output{op.Add(s, v[0], one)}, body(s, v[1:])...)
		})[1:]
}

// konst returns a constant of its own name.
func (b *builder) konst(v any) tf.Output { return op.Const(b.SubScope("const"), v) }

// zeros returns a tensor of float zeros that the graph makes.
func (b *builder) zeros(dims ...int32) tf.Output {
	return op.Fill(b.SubScope("fill"), b.konst(dims), b.konst(float32(0)))
}

func sorted(a []Attack) []Attack {
	slices.SortFunc(a, func(x, y Attack) int { return cmp.Compare(x.Name, y.Name) })
	return a
}

func deep(n int32) string {
	if n >= 1_000_000 {
		return fmt.Sprintf("%dM", n/1_000_000)
	}
	return fmt.Sprintf("%dk", n/1000)
}
