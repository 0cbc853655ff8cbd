// Package benchmarks holds benchmark graphs for Troupe and TensorFlow, and Go
// benchmarks over them.
//
//	go run ./cmd/troupe bench benchmarks/graphs
//	go test ./benchmarks -bench .
//	go test ./benchmarks -run - -bench Profile -benchtime 60x
//	go run ./benchmarks/measure resident --runs 100000 DIR NAME
//
// graphs/graphs.json says for each graph what to feed, what to fetch, and how
// many units of work a run does. time_tensorflow.py times TensorFlow on them.
// lab is a module of its own: classical problems of concurrency (docs/laboratory.md).
package benchmarks
