package sequence

import (
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// WritePage writes the step as one HTML file that needs nothing else: its turns as a
// diagram with a lane for each actor, and the graph with the tokens on its edges, both
// stepped through with a slider or keys.
func (r *Recording) WritePage(w io.Writer, title string) error {
	s, others := r.Step()
	if s == nil {
		return errors.New("no step was recorded: the engine messages records one")
	}
	data, err := json.Marshal(s.data(others))
	if err != nil {
		return err
	}
	return page.Execute(w, map[string]any{"Title": title, "Engine": s.Engine, "Data": template.JS(data)}) // json.Marshal escapes <, > and &
}

// data returns the step as the page reads it: rows of numbers, and texts by index.
func (s *Step) data(others int) map[string]any {
	var texts []string
	index := map[string]int{}
	text := func(s string) int {
		i, ok := index[s]
		if !ok {
			i = len(texts)
			index[s] = i
			texts = append(texts, s)
		}
		return i
	}
	text("")
	type row = []any
	nodes, actors, turns, messages := []row{}, []row{}, []row{}, []row{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		in := []row{}
		for _, e := range n.Inputs {
			in = append(in, row{e.Node, e.Port, flag(e.Back)})
		}
		nodes = append(nodes, row{n.Name, n.Op, n.Frame, in})
	}
	for _, a := range s.Actors {
		actors = append(actors, row{a.Role, a.Name, a.Node})
	}
	for _, t := range s.Turns {
		turns = append(turns, row{t.Actor, text(t.Did)})
	}
	for i := range s.Messages {
		m := &s.Messages[i]
		messages = append(messages, row{m.Sent, m.Received, m.To, text(m.Verb), flag(m.Dead), m.Node, m.Slot, m.Iteration, text(m.Credit), text(m.Text)})
	}
	return map[string]any{
		"nodes": nodes, "actors": actors, "turns": turns, "messages": messages, "iterations": s.Iterations,
		"texts": texts, "left": s.Left, "others": others, "error": s.Error,
	}
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
