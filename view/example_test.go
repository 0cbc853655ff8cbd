package view_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/view"
)

func Example() {
	g := troupe.NewGraph()
	if err := notation.Add(g, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x)"); err != nil {
		log.Fatal(err)
	}
	p := view.New("negation")
	p.AddGraph("graph", g)
	var page bytes.Buffer
	if err := p.Write(&page); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(page.String(), "<title>negation</title>"))
	// Output: true
}
