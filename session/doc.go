// Package session is the API of Troupe: load or build a graph, open a session on it,
// run parts of it.
//
//	graph := session.NewGraph()
//	if err := graph.Import(def, ""); err != nil { … }
//	s, err := session.NewSession(graph, nil)
//	if err != nil { … }
//	defer s.Close()
//	x, _ := session.NewTensor([]float32{1, 2, 3})
//	out, err := s.Run(
//		map[session.Output]*session.Tensor{graph.Operation("x").Output(0): x},
//		[]session.Output{graph.Operation("y").Output(0)}, nil)
//
// Names and signatures are those of TensorFlow's Go binding; docs/binding.md
// says for each whether it behaves the same. Beyond the binding there
// are [Session.RunContext], the prepared [Callable], and the further fields of
// [SessionOptions]. Every error is a [*Error] with a canonical code.
//
// A Graph may grow while sessions use it. A Session holds the contents of its
// variables, queues and tables, and compiles and caches a program for each set of
// feeds, fetches and targets. A step is one run of a program; steps of one session
// run at the same time and share nothing but those resources. Everything here is
// safe for any number of goroutines, a [Tensor] being immutable but for its
// Reshape.
//
// The package links no operations. A program imports the root package, which
// links all of them, or the families that its graphs need, such as
// github.com/troupe-go/troupe/ops/math, for their side effects.
package session
