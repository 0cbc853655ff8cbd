package main

import (
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/all"
)

func main() {
	for _, a := range os.Args[1:] {
		cases, err := conformance.Load(a)
		if err != nil {
			fmt.Println(a, err)
			continue
		}
		units, tokens, whole, progs := 0, 0, 0, 0
		reasons := map[string]int{}
		wreasons := map[string]int{}
		for _, c := range cases {
			_, nm, _ := strings.Cut(c.Name, "/")
			s, err := conformance.LoadScript(a + "/" + nm)
			if err != nil {
				continue
			}
			g, err := s.Graph()
			if err != nil {
				continue
			}
			best := ""
			for _, st := range s.Steps {
				var spec nodes.Spec
				ok := true
				get := func(n string) graph.Output {
					name, idx, _ := strings.Cut(n, ":")
					op := g.Operation(name)
					if op == nil { ok = false; return graph.Output{} }
					i := 0
					fmt.Sscan(idx, &i)
					return op.Output(i)
				}
				for f := range st.Feeds { spec.Feeds = append(spec.Feeds, get(f)) }
				for _, f := range st.Fetches { spec.Fetches = append(spec.Fetches, get(f)) }
				for _, f := range st.Targets { spec.Targets = append(spec.Targets, g.Operation(f)) }
				if !ok { continue }
				p, err := nodes.Compile(g, spec)
				if err != nil { continue }
				t := p.Plan()
				if len(t) > len(best) { best = t }
				progs++
				if strings.HasPrefix(t, "program") { whole++ } else {
					r := strings.TrimPrefix(strings.SplitN(t, "\n", 2)[0], "by tokens: ")
					if i := strings.Index(r, " at "); i > 0 { r = r[:i] }
					wreasons[r]++
				}
			}
			re := regexp.MustCompile(`(?m)^\t+loop `)
			units += len(re.FindAllString(best, -1))
			for _, m := range regexp.MustCompile(`(?m)^loop \S+ by tokens: (.*)$`).FindAllStringSubmatch(best, -1) {
				tokens++
				r := m[1]
				if i := strings.Index(r, " at "); i > 0 { r = r[:i] }
				reasons[r]++
				if os.Getenv("V") != "" { fmt.Println(c.Name, m[0]) }
			}
		}
		fmt.Printf("%s: programs %d, whole %d; loops as units %d, by tokens %d\n", a, progs, whole, units, tokens)
		pr := func(m map[string]int) {
			var k []string
			for r := range m { k = append(k, r) }
			sort.Slice(k, func(i, j int) bool { return m[k[i]] > m[k[j]] })
			for _, r := range k { fmt.Printf("\t%4d %s\n", m[r], r) }
		}
		fmt.Println("  loops:"); pr(reasons); fmt.Println("  programs:"); pr(wreasons)
	}
}
