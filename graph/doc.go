// Package graph represents models before they run: nodes, edges, the function library
// and the format's versions.
//
//	g := graph.New()
//	x, err := g.AddOperation(graph.OpSpec{Type: "Placeholder", Name: "x", Attrs: map[string]any{"dtype": tensor.Float}})
//	y, err := g.AddOperation(graph.OpSpec{Type: "Neg", Name: "y", Input: []graph.Input{x.Output(0)}})
//
// or, from a file, g.Import(def, "prefix").
//
// A [Node] is one operation: a definition from package registry, attributes,
// data inputs, each an [Output] of another node, and control inputs, nodes that
// must have run before; an [Edge] is one of either. Nodes are added, never
// changed or removed: an [Editor] makes another graph. Their ids count from 0
// in an order in which inputs come before consumers, but for back edges: a Merge
// may take the output of a NextIteration with a higher id, and that is the only
// way to close a cycle. A node in the graph has passed all checks: its operation
// is known, its attributes fit the definition, its edges exist and carry the
// right types, and its shapes do not contradict one another.
//
// # Kinds of nodes
//
// A token is a value on an edge, or a dead token, which says that there is
// none. To the executor a node is one of these ([Class]):
//
//	class           operations                  runs when                       outputs                            on a dead token
//	other           all but those below         all inputs have arrived         its kernel's                       all dead, without running
//	Switch          Switch, RefSwitch           all inputs have arrived         one live, by the predicate         all dead
//	                _SwitchN                    all inputs have arrived         one live, by the index             all dead
//	Merge           Merge, RefMerge             controls and one live input     the input, and its index           dead once all inputs are dead; controls do not count
//	Enter           Enter, RefEnter             its input has arrived           the input, in a child frame        dead
//	Exit            Exit, RefExit               its input has arrived           the input, in the parent frame     dead only once the frame ends
//	NextIteration   NextIteration, Ref…         its input has arrived           the input, in the next iteration   stops
//	LoopCond        LoopCond                    its input has arrived           the input                          dead
//	ControlTrigger  ControlTrigger              all controls have arrived       none                               runs anyway
//	Send            _Send, _HostSend            its input has arrived           none                               sends the dead token
//	Recv            _Recv, _HostRecv            the other side has sent         what was sent                      forwards it
//
// The remaining classes (constants, variables, placeholders, arguments and
// return values, calls of functions) behave as other nodes do and are
// distinguished for compilers and rewriters of graphs. [Graph.Frames] and
// [FrameAnalysis] find the frame that each node runs in.
//
// # Functions
//
// A [Function] of a graph's library is a signature and a definition; package
// [github.com/troupe-go/troupe/graph/function] represents it before it is instantiated.
// [Graph.Instantiate] makes a [Body] of it for given attributes: a graph of its
// own, with a node _Arg for each argument and _Retval for each result, which
// shares the library. [Graph.MakeFunction] makes a function of a part of a
// graph, [Body.Function] of a body, and [Graph.AddFunction] adds it to a
// library. [Node.Callee] says which function a node calls, [Node.Functions]
// which it may call otherwise, as a branch or as the body of a loop. Shapes go
// through calls, as far as the arguments of each call say.
//
// # Forms
//
// A graph is read from and written as a serialized GraphDef ([Graph.Import],
// [Graph.ImportGraphDef], [Graph.WriteTo]); package
// graph/prototext turns that into protocol buffer text and back. Package
// graph/notation has a form that is easier to read, one node a line.
//
// # Errors and concurrency
//
// What is wrong with a graph is a *status.Error that names the node and, where
// there is one, the attribute or the offset in the message; texts that programs
// match on are TensorFlow's. A graph may be read and added to from many
// goroutines at once. Nothing here blocks but for the graph's own lock.
//
// The package does not run anything (package session does) and knows no
// operation: those come from the registry, _Arg and _Retval among them, which
// functions need and package ops/functional defines.
package graph
