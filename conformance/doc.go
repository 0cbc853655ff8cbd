// Package conformance runs cases recorded from TensorFlow and compares the results.
//
// A case is a folder with a script, case.json, a graph, graph.pb, or a model, the
// folder saved_model, and the tensors that the script names. Cases come in groups:
// a folder of case folders, or a zip archive of them, read where it lies. [Load]
// takes any of these, a folder of groups too, and three groups that are tables:
// shapes (shapes.json, inferred shapes row by row, and shape_graphs.json, those of
// whole graphs), nodes (nodes.json, single nodes that were executed) and opdefs
// (ops.pb, operation definitions).
//
//	cases, err := conformance.Load("control.zip")
//	for _, c := range cases {
//		r := c.Run(ctx, conformance.Config{Engine: "sequential"})
//		fmt.Println(c.Name, r.Verdict, r.Detail)
//	}
//
// # Verdicts
//
// A case has passed if every step gave what was recorded: values within the
// case's tolerance, or an error with the recorded code and words. It counts as
// unimplemented if an operation, a kernel or a part of Troupe that it needs is
// missing, unless that is the answer it asks for. Everything else is a
// failure: another answer, a script that cannot be read, a step that did not
// return, a panic.
//
// # Hostile cases
//
// Cases tagged "hostile" are made to crash, to hang or to exhaust an executor.
// A [Runner] runs them in child processes under limits of memory and time, so
// that what one of them does is told of that one alone.
//
// The package links no operations: a program that runs cases imports the root
// package or the families of operations that the cases need.
package conformance
