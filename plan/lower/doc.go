// Package lower replaces function calls, and conditionals and loops made of functions,
// by the ordinary nodes that engines run.
//
//	l, err := lower.Functions(ctx, g, needed, feeds)
//	out := l.Output(fetch) // where the fetch is now
//
// A call becomes the nodes of the function's body; If and Case become Switch
// and Merge nodes around the bodies of their branches; While becomes a frame of
// Enter, Merge, Switch, NextIteration and Exit nodes. The graph that it is given
// is unchanged.
//
// How much of a body runs depends on the node, as in TensorFlow 2.21:
//
//	node                                    what runs                      outputs come
//	PartitionedCall                         results and control outputs    together
//	the same within the body of such a call each result that is needed,    each by itself, after
//	                                        and control outputs            the control outputs
//	a call by the function's name; If, Case all stateful nodes, and all    together
//	and While that are not marked           that nested bodies have
//	If and Case that are marked             what the outputs that are      each by itself
//	                                        needed need
//	While that is marked                    likewise, and the control      each by itself
//	                                        outputs of its body
//
// A node is marked if its attribute _lower_using_switch_merge is true and it is in no
// body of which all stateful nodes run. It runs in parts: an argument is waited for
// where it is used, an If and a Case begin when the predicate and control inputs are
// there, and nodes that wait for them wait for the control outputs of the branch, not
// for the results. A step that fetches an output of a marked node, or has the node as
// a target, runs all of it: only consumers in the graph leave something out.
//
// Other nodes are one operation: they begin when all inputs and control inputs are
// there, and are dead as a whole if one of them is. An iteration of a loop begins when
// the side effects of the one before are done.
//
// A function that calls itself cannot be laid out so; where it does, the call
// stays a call, which the engine runs as a step within the step.
package lower
