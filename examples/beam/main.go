// Command beam finds likely words: it learns from a list of words which letter follows
// which, and searches for those that the model likes best with a beam that keeps the
// best few beginnings. The search is a loop of the graph, with its scores, letters and
// branches in tensors, and runs in one step.
//
//	go -C examples run ./beam -width 8
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"strings"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

func main() {
	width := flag.Int("width", 8, "how many beginnings to keep")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *width); err != nil {
		log.Fatal(err)
	}
}

// words is what the model learns from.
const words = "anna banana nanna anne hanna ann ban bean bananas annas sand band hand land banal canal cabana havana"

const (
	letters = 27 // 0 is the end of a word, and its beginning
	longest = 8
)

// run prints the best words.
func run(ctx context.Context, w io.Writer, width int) error {
	found, scores, err := search(ctx, learn(words), width)
	if err != nil {
		return err
	}
	for i, word := range found {
		fmt.Fprintf(w, "%-10s %.4f\n", word, math.Exp(float64(scores[i])))
	}
	return nil
}

// learn returns the logarithm of the probability of each letter after each other one.
func learn(text string) []float32 {
	counts := make([]float32, letters*letters)
	for i := range counts {
		counts[i] = 0.01
	}
	for _, word := range strings.Fields(text) {
		last := 0
		for _, c := range word {
			counts[last*letters+int(c-'a')+1]++
			last = int(c-'a') + 1
		}
		counts[last*letters]++
	}
	for row := range letters {
		sum := float32(0)
		for _, c := range counts[row*letters : (row+1)*letters] {
			sum += c
		}
		for i := range letters {
			c := &counts[row*letters+i]
			*c = float32(math.Log(float64(*c / sum)))
		}
	}
	return counts
}

// search finds the width most likely words, none longer than longest, and the
// logarithms of their probabilities.
func search(ctx context.Context, model []float32, width int) ([]string, []float32, error) {
	table, err := tf.FromSlice(model, letters, letters)
	if err != nil {
		return nil, nil, err
	}
	n := int32(width)
	s := op.NewScope().WithUniqueNames()
	likely := op.Const(s, table)
	number := func(s *op.Scope, v int32) tf.Output { return op.Const(s, v) }

	// The first letters: the beam is full from the beginning.
	scores, first := op.TopKV2(s, op.GatherV2(s, likely, number(s, 0), number(s, 0)), number(s, n))
	paths := op.ExpandDims(s, first, number(s, 1))
	blank := op.Fill(s, op.Const(s, []int32{n, longest - 1}), number(s, 0))
	paths = op.ConcatV2(s, []tf.Output{paths, blank}, number(s, 1))

	loop := op.While(s, []tf.Output{number(s, 1), first, scores, paths},
		func(s *op.Scope, v []tf.Output) tf.Output {
			alive := op.Any(s, op.NotEqual(s, v[1], number(s, 0)), number(s, 0))
			return op.LogicalAnd(s, op.Less(s, v[0], number(s, longest)), alive)
		},
		func(s *op.Scope, v []tf.Output) []tf.Output {
			i, last, scores, paths := v[0], v[1], v[2], v[3]
			// What each beginning would score with each letter. Those that have ended
			// go on with the end alone, for nothing.
			next := op.GatherV2(s, likely, last, number(s, 0))
			ended := op.Equal(s, last, number(s, 0))
			stay := op.Const(s, stays())
			next = op.SelectV2(s, op.ExpandDims(s, ended, number(s, 1)), stay, next)
			all := op.Add(s, op.ExpandDims(s, scores, number(s, 1)), next)
			best, at := op.TopKV2(s, op.Reshape(s, all, op.Const(s, []int32{-1})), number(s, n))
			from, letter := op.FloorDiv(s, at, number(s, letters)), op.FloorMod(s, at, number(s, letters))
			// The letter goes to position i of the beginning that it is of.
			here := op.OneHot(s, i, number(s, longest), number(s, 1), number(s, 0))
			kept := op.GatherV2(s, paths, from, number(s, 0))
			paths = op.AddV2(s, kept, op.Mul(s, op.ExpandDims(s, letter, number(s, 1)), here))
			return []tf.Output{op.Add(s, i, number(s, 1)), letter, best, paths}
		})
	graph, err := s.Finalize()
	if err != nil {
		return nil, nil, err
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		return nil, nil, err
	}
	defer session.Close()
	out, err := session.RunContext(ctx, nil, []tf.Output{loop[2], loop[3]}, nil)
	if err != nil {
		return nil, nil, err
	}
	var found []string
	for _, path := range out[1].Value().([][]int32) {
		var word strings.Builder
		for _, c := range path {
			if c > 0 {
				word.WriteByte(byte('a' + c - 1))
			}
		}
		found = append(found, word.String())
	}
	return found, out[0].Value().([]float32), nil
}

// stays returns the row of a word that has ended.
func stays() []float32 {
	row := make([]float32, letters)
	for i := range row[1:] {
		row[i+1] = float32(math.Inf(-1))
	}
	return row
}
