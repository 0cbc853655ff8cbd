// Command simulator follows foxes and rabbits: the equations of Lotka and Volterra,
// solved by the method of Runge and Kutta for many starting points at once. The whole
// simulation is one loop of the graph, and so one step; its course is drawn as text.
//
//	go -C examples run ./simulator -steps 4000
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

func main() {
	steps := flag.Int("steps", 4000, "steps of 0.005 to simulate")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *steps); err != nil {
		log.Fatal(err)
	}
}

// The world: rabbits are born, met by foxes, and eaten; foxes live of that, and die.
const (
	births, meetings, growth, deaths = 1.1, 0.4, 0.1, 0.4
	dt                               = 0.005
)

// run draws the rabbits of the first of three worlds, and says where all have come to.
func run(ctx context.Context, w io.Writer, steps int) error {
	rabbits, foxes := []float64{10, 5, 4}, []float64{10, 5, 2.75}
	const rows = 40
	for row := range rows {
		fmt.Fprintf(w, "%6.2f %s\n", float64(row*(steps/rows))*dt, strings.Repeat("*", int(rabbits[0]*2)))
		var err error
		if rabbits, foxes, err = simulate(ctx, rabbits, foxes, steps/rows); err != nil {
			return err
		}
	}
	for i := range rabbits {
		fmt.Fprintf(w, "world %d: %.3f rabbits, %.3f foxes\n", i+1, rabbits[i], foxes[i])
	}
	return nil
}

// simulate returns where worlds are after some steps.
func simulate(ctx context.Context, rabbits, foxes []float64, steps int) ([]float64, []float64, error) {
	s := op.NewScope().WithUniqueNames()
	constant := func(v float64) tf.Output { return op.Const(s, v) }
	var rates [4]tf.Output
	for i, r := range []float64{births, meetings, growth, deaths} {
		rates[i] = constant(r)
	}
	zero, one, end := op.Const(s, int32(0)), op.Const(s, int32(1)), op.Const(s, int32(steps))
	half, whole, sixth, two := constant(dt/2), constant(dt), constant(dt/6), constant(2)

	// change is how fast rabbits x and foxes y become more.
	change := func(s *op.Scope, x, y tf.Output) (dx, dy tf.Output) {
		met := op.Mul(s, x, y)
		return op.Sub(s, op.Mul(s, rates[0], x), op.Mul(s, rates[1], met)),
			op.Sub(s, op.Mul(s, rates[2], met), op.Mul(s, rates[3], y))
	}
	out := op.While(s, []tf.Output{zero, op.Const(s, rabbits), op.Const(s, foxes)},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], end) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			x, y := v[1], v[2]
			ahead := func(by, dx, dy tf.Output) (tf.Output, tf.Output) {
				return op.AddV2(s, x, op.Mul(s, by, dx)), op.AddV2(s, y, op.Mul(s, by, dy))
			}
			x1, y1 := change(s, x, y)
			ax, ay := ahead(half, x1, y1)
			x2, y2 := change(s, ax, ay)
			bx, by := ahead(half, x2, y2)
			x3, y3 := change(s, bx, by)
			cx, cy := ahead(whole, x3, y3)
			x4, y4 := change(s, cx, cy)
			sum := func(a, b, c, d tf.Output) tf.Output {
				return op.AddV2(s, op.AddV2(s, a, d), op.Mul(s, two, op.AddV2(s, b, c)))
			}
			nx, ny := ahead(sixth, sum(x1, x2, x3, x4), sum(y1, y2, y3, y4))
			return []tf.Output{op.AddV2(s, v[0], one), nx, ny}
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
	got, err := session.RunContext(ctx, nil, []tf.Output{out[1], out[2]}, nil)
	if err != nil {
		return nil, nil, err
	}
	return got[0].Value().([]float64), got[1].Value().([]float64), nil
}
