// Command pictures draws the README's picture: the graph of a loop with a
// branch, each node with how often it has acted in a run of ten iterations.
// Its output is Graphviz text:
//
//	go run ./docs/pictures | dot -Tsvg -Nfontname=sans-serif -Gfontname=sans-serif > docs/pictures/loop.svg
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"regexp"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

func main() {
	log.SetFlags(0)
	if err := draw(); err != nil {
		log.Fatal(err)
	}
}

func draw() error {
	def, err := os.ReadFile("benchmarks/graphs/while_cond.pb")
	if err != nil {
		return err
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		return err
	}
	spec := nodes.Spec{Feeds: []graph.Output{g.Operation("limit").Output(0)}, Fetches: []graph.Output{g.Operation("while/Exit_1").Output(0)}}
	p, err := nodes.Compile(context.Background(), g, spec)
	if err != nil {
		return err
	}
	live, dead := map[string]int{}, map[string]int{}
	step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager()}
	s := p.Begin(step, []tensor.Value{tensor.Scalar(int32(10))}, nodes.Options{Trace: func(e nodes.Event) {
		if e.Dead {
			dead[e.Node]++
		} else {
			live[e.Node]++
		}
	}})
	for a := s.Next(); a != nil; a = s.Next() {
		s.Complete(a, a.Run())
	}
	if err := s.End(make([]tensor.Value, 1)); err != nil {
		return err
	}
	dot, err := g.DOT()
	if err != nil {
		return err
	}
	node := regexp.MustCompile(`\[label="([^"\\]+)(\\n[^"]*)?"\]`)
	fmt.Println(node.ReplaceAllStringFunc(dot, func(m string) string {
		label := node.FindStringSubmatch(m)
		n, d := live[label[1]], dead[label[1]]
		if n+d == 0 {
			return m
		}
		count := fmt.Sprintf("acted %d×", n)
		if d > 0 {
			count += fmt.Sprintf(", dead %d×", d)
		}
		return fmt.Sprintf(`[label="%s%s\n%s", style="rounded,filled", color="#5577aa", fillcolor="0.58 %.2f 1.0"]`,
			label[1], label[2], count, 0.05+0.35*min(float64(n), 11)/11)
	}))
	return nil
}
