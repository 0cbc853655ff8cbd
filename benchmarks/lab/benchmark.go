package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// A benchmark is one problem, with several solutions that compute the same number.
type benchmark struct {
	name string
	unit string // what is counted: the table has ns a unit
	spec string // the problem, whatever solves it

	sizes [3]int64            // a small one for tests, one to warm up and compare, the table's
	work  func(n int64) int64 // units in a run of size n
	want  func(n int64) int64 // the result, by a loop or formula that shares nothing with the solutions

	// graph adds a graph that takes the size n, a scalar int64, and returns the result.
	graph func(s *op.Scope, n tf.Output) tf.Output
	// goroutines is the program that a Go programmer would write.
	goroutines func(n int64) int64
	// actors is the program that one would write with a library of actors.
	actors func(s stage, n int64) int64
}

// benchmarks are those of the table, in its order; each is in a file of its own.
var benchmarks = []benchmark{
	pingPong, counting, threadRing, forkJoinThroughput, forkJoinCreation,
	boundedBuffer, diningPhilosophers, sieve, fibonacci, barrier,
	chameneos, big, nQueens, quicksort, matrixMultiplication,
	trapezoid, logisticMap, precisePi, sleepingBarber, cigaretteSmokers,
	concurrentDictionary, bankTransaction, radixSort, cobwebbedTree,
	recursiveMatrices, bitonicSort, filterBank, overRelaxation,
}

// plain returns the work of benchmarks whose size is their work.
func plain(n int64) int64 { return n }
