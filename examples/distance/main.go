// Command distance serves edit distances over HTTP: how many letters have to be put in,
// taken out or changed to make one text of another.
//
//	go -C examples run ./distance
//	curl 'localhost:8080/?a=kitten&b=sitting'
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

func main() {
	address := flag.String("address", "localhost:8080", "where to listen")
	flag.Parse()
	s, err := newService()
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on %s", *address)
	log.Fatal(http.ListenAndServe(*address, s))
}

// A service answers requests, any number of them at the same time.
type service struct {
	session  *tf.Session
	distance *tf.Callable
}

// newService builds the graph and prepares its run.
func newService() (*service, error) {
	s := op.NewScope()
	side := func(name string) (indices, values, shape tf.Output) {
		s := s.SubScope(name)
		return op.Placeholder(s.SubScope("indices"), tf.Int64, op.PlaceholderShape(tf.MakeShape(-1, 2))),
			op.Placeholder(s.SubScope("values"), tf.Int32, op.PlaceholderShape(tf.MakeShape(-1))),
			op.Placeholder(s.SubScope("shape"), tf.Int64, op.PlaceholderShape(tf.MakeShape(2)))
	}
	ai, av, as := side("a")
	bi, bv, bs := side("b")
	distance := op.EditDistance(s, ai, av, as, bi, bv, bs, op.EditDistanceNormalize(false))
	graph, err := s.Finalize()
	if err != nil {
		return nil, err
	}
	session, err := tf.NewSession(graph, &tf.SessionOptions{Timeout: 5 * time.Second, MemoryLimit: 64 << 20})
	if err != nil {
		return nil, err
	}
	call, err := session.MakeCallable([]tf.Output{ai, av, as, bi, bv, bs}, []tf.Output{distance}, nil)
	if err != nil {
		return nil, err
	}
	return &service{session, call}, nil
}

// longest bounds what a request may ask for.
const longest = 10_000

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, b := []rune(r.FormValue("a")), []rune(r.FormValue("b"))
	if len(a) > longest || len(b) > longest {
		http.Error(w, "the texts are too long", http.StatusRequestEntityTooLarge)
		return
	}
	d, err := s.between(r.Context(), a, b)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, d)
}

// between returns the distance of two texts.
func (s *service) between(ctx context.Context, a, b []rune) (int, error) {
	var feeds []*tf.Tensor
	for _, text := range [][]rune{a, b} {
		n := int64(len(text))
		indices := make([]int64, 2*n) // in a row of their own
		for i := range n {
			indices[2*i+1] = i
		}
		for _, part := range []func() (*tf.Tensor, error){
			func() (*tf.Tensor, error) { return tf.FromSlice(indices, n, 2) },
			func() (*tf.Tensor, error) { return tf.FromSlice(text, n) },
			func() (*tf.Tensor, error) { return tf.FromSlice([]int64{1, max(n, 1)}, 2) },
		} {
			t, err := part()
			if err != nil {
				return 0, err
			}
			feeds = append(feeds, t)
		}
	}
	out, err := s.distance.Call(ctx, feeds...)
	if err != nil {
		return 0, err
	}
	return int(out[0].Value().([]float32)[0]), nil
}
