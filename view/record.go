package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/registry"
)

// A played is a recorded run as the page reads it.
type played struct {
	Title   string     `json:"title"`
	Engine  string     `json:"engine"`
	Steps   []playStep `json:"steps"`
	Events  []row      `json:"events"`
	Moments int32      `json:"moments"`
	Tags    []row      `json:"tags"` // parent, frame, index
	Texts   []string   `json:"texts"`
	Left    int        `json:"left,omitempty"`
}

type playStep struct {
	Graph  int    `json:"graph"`
	Caller int32  `json:"caller"` // an event, or -1
	Error  string `json:"error,omitempty"`
	Failed int32  `json:"failed"` // the event that failed, or -1
}

// AddRecording adds the runs of a recording, to be played on the graphs of their programs.
// The page opens with the last run. If there are two recordings, it opens with the last
// runs of the first two next to each other, where they part. It fails if a program that has
// released its nodes does not compile again ([nodes.Program.Full]).
func (p *Page) AddRecording(title string, r *recording.Recording) error {
	runs, dropped := r.Runs()
	for i, run := range runs {
		name := title
		if len(runs) > 1 || dropped > 0 {
			name = fmt.Sprintf("%s, run %d", title, dropped+i+1)
		}
		if err := p.addRun(name, run); err != nil {
			return err
		}
	}
	p.recordings = append(p.recordings, len(p.runs))
	return nil
}

func (p *Page) addRun(title string, run *recording.Run) error {
	d := &played{Title: title, Engine: run.Engine, Moments: run.Moments, Texts: run.Texts, Left: run.Left, Steps: []playStep{}, Events: make([]row, 0, len(run.Events)), Tags: []row{}}
	for _, s := range run.Steps {
		at, err := p.program(s.Program)
		if err != nil {
			return err
		}
		d.Steps = append(d.Steps, playStep{at, s.Caller, s.Error, s.Failed})
	}
	for i := range run.Events {
		e := &run.Events[i]
		flags := 0
		if e.Dead {
			flags = 1
		}
		d.Events = append(d.Events, row{e.Step, e.Node, e.Tag, flags, e.Port, e.At, e.Done, e.Begin, e.End, e.Thread, e.In})
	}
	for _, t := range run.Tags {
		d.Tags = append(d.Tags, row{t.Parent, t.Frame, t.Index})
	}
	p.runs = append(p.runs, d)
	return nil
}

// program returns the place of the graph of a program, which is added if it is new.
func (p *Page) program(of profile.Program) (int, error) {
	if i, ok := p.programs[of]; ok {
		return i, nil
	}
	program, _ := of.(*nodes.Program)
	if program != nil {
		var err error
		if program, err = program.Full(context.Background()); err != nil {
			return 0, err
		}
	}
	if p.programs == nil {
		p.programs = map[profile.Program]int{}
	}
	at := len(p.graphs)
	p.programs[of] = at
	described := of.Describe()
	d := &drawn{Title: "what ran", Kind: "program", Nodes: newColumns(len(described))}
	if at > 0 {
		d.Title = fmt.Sprintf("what ran (%d)", at)
	}
	p.graphs = append(p.graphs, d)
	p.nodes += len(described)
	var defs []*graph.Node // of the program's nodes
	frames := map[string]int{"": 0}
	frameOf := func(i int) int { return frames[described[i].Frame] }
	if program != nil {
		flow := program.Flow()
		defs = program.Nodes()
		for _, f := range flow.Frames {
			d.Frames = append(d.Frames, row{f.Name, f.Parent})
		}
		frameOf = func(i int) int {
			if n := &flow.Nodes[i]; n.Kind == kind.Enter { // shown in the frame that it enters
				return int(n.Aux)
			}
			return int(flow.Nodes[i].Frame)
		}
		d.Constant = []int{}
		for i := range flow.Nodes {
			if flow.Nodes[i].Kind == kind.Enter && flow.Nodes[i].Constant {
				d.Constant = append(d.Constant, i)
			}
		}
	} else {
		d.Frames = append(d.Frames, row{"", -1})
		for i := range described {
			if f := described[i].Frame; f != "" {
				if _, ok := frames[f]; !ok {
					frames[f] = len(d.Frames)
					d.Frames = append(d.Frames, row{f, 0})
				}
			}
		}
	}
	for i := range described {
		n := &described[i]
		c := &d.Nodes
		c.add(n.Name, p.texts.of(n.Op), p.texts.of(n.Device), frameOf(i))
		inputs := 0
		for _, in := range n.Inputs {
			if in.Port < 0 {
				c.Controls.put(in.Node)
				continue
			}
			if in.Back {
				c.back(inputs)
			}
			c.Inputs.put(in.Node, in.Port)
			inputs++
		}
		if defs != nil {
			if def := defs[i]; def != nil {
				shapes := def.OutputShapes()
				for k, dt := range def.OutputTypes() {
					c.Outputs.put(p.texts.of(typeText(dt, shapes[k])))
				}
				for _, a := range def.Attrs() {
					c.Attrs.put(p.texts.of(a.Name), p.texts.of(attrText(&a.Value)))
					if a.Value.Tensor != nil && def.Type() == "Const" {
						d.Values.add(i, a.Value.Tensor)
					}
				}
				p.document(def)
			}
		}
		if n.Function != "" {
			c.Attrs.put(p.texts.of("of function"), p.texts.of((&registry.Func{Name: n.Function}).Name))
		}
	}
	return at, nil
}

// Compare adds what an earlier page has, which [Page.Write] wrote: its runs can be played
// next to those of this page.
func (p *Page) Compare(earlier io.Reader) error {
	text, err := io.ReadAll(earlier)
	if err != nil {
		return err
	}
	const begin, end = `<script type="application/json" id="data">`, "</script>"
	_, rest, ok := bytes.Cut(text, []byte(begin))
	data, _, closed := bytes.Cut(rest, []byte(end))
	var has struct {
		Form int               `json:"form"`
		Runs []json.RawMessage `json:"runs"`
	}
	if !ok || !closed || json.Unmarshal(data, &has) != nil {
		return errors.New("it is not a page of this program")
	}
	if has.Form != form {
		return errors.New("another version of this program wrote it; record that run again")
	}
	if len(has.Runs) == 0 {
		return errors.New("the page has no recorded run")
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	delete(all, "other") // of three runs the two latest are compared
	p.other = all
	return nil
}
