package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/sorted"
)

// model times a model of the user's own.
func (f *benchFlags) model(cmd *cobra.Command, path string) error {
	imported := startClock()
	m, err := findModel(cmd, path)
	if err != nil {
		return failure{err}
	}
	switch {
	case f.tags != nil:
		m.tags = f.tags
		fallthrough
	case f.signature != "":
		if m.folder == "" {
			return fmt.Errorf("--signature and --tags need a SavedModel")
		}
	}
	b := &bench{ctx: cmd.Context(), viaRun: f.viaRun}
	named := len(f.fetches)+len(f.targets) > 0
	if m.folder != "" {
		saved, err := m.load(cmd, f.options(m))
		if err != nil {
			return err
		}
		b.session, m.graph = saved.Session, saved.Graph
		if !named {
			err = f.bySignature(b, saved)
		}
		defer saved.Session.Close()
		if err != nil {
			return err
		}
	} else {
		if b.session, err = troupe.NewSession(m.graph, f.options(m)); err != nil {
			return err
		}
		defer b.session.Close()
		if m.script != nil && !named {
			if err := f.byScript(b, m); err != nil {
				return err
			}
		}
	}
	r := benchResult{Peer: "troupe", Graph: modelName(path), Unit: "run", ImportMS: imported.ms()}
	if err := f.byName(b, m.graph); err != nil {
		return err
	}
	loaded(cmd)
	if r, err = f.time(r, b, 1); err != nil {
		return failure{err}
	}
	return f.print(cmd.OutOrStdout(), r)
}

// modelName returns what a model is called in a table: its folder, of a folder that is the
// number of a version with the one around it.
func modelName(path string) string {
	if path == "-" {
		return path
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	name := filepath.Base(path)
	if around := filepath.Base(filepath.Dir(path)); strings.Trim(name, "0123456789") == "" && len(around) > 1 {
		name = filepath.Join(around, name)
	}
	return name
}

// bySignature has b run a signature.
func (f *benchFlags) bySignature(b *bench, m *troupe.SavedModel) error {
	sig, key, err := signatureOfKey(m, f.signature)
	if err != nil {
		return err
	}
	given := map[string]*troupe.Tensor{}
	for _, arg := range f.feeds {
		if err := feedInput(given, sig, key, arg); err != nil {
			return err
		}
	}
	f.feeds = nil
	for _, name := range sorted.Keys(sig.Inputs) {
		info, t := sig.Inputs[name], given[name]
		o, err := m.Graph.Find(info.Name)
		if err != nil {
			return failure{err}
		}
		if t == nil {
			if t, err = madeUp(name, info.DType, info.Shape); err != nil {
				return err
			}
		}
		b.feed(o, t)
	}
	names, operations := resultsOf(sig)
	for _, name := range names {
		f.fetches = append(f.fetches, sig.Outputs[name].Name)
	}
	f.targets = append(f.targets, operations...)
	return nil
}

// byScript has b run the first step of a case.
func (f *benchFlags) byScript(b *bench, m *model) error {
	if len(m.script.Steps) == 0 {
		return fmt.Errorf("the case has no step")
	}
	step := &m.script.Steps[0]
	for _, name := range sorted.Keys(step.Feeds) {
		o, err := findOutput(m.graph, name)
		if err != nil {
			return failure{err}
		}
		t, err := m.script.Tensor(step.Feeds[name])
		if err != nil {
			return failure{err}
		}
		b.feed(o, t)
	}
	f.fetches, f.targets = step.Fetches, step.Targets
	return nil
}

// byName has b run what the flags name, and feed what else has to be fed.
func (f *benchFlags) byName(b *bench, g *troupe.Graph) error {
	if len(f.fetches)+len(f.targets) == 0 {
		return fmt.Errorf("nothing to run: give --fetch NAME or --target NODE")
	}
	names := runFlags{feeds: f.feeds, fetches: f.fetches, targets: f.targets}
	feeds, fetches, targets, err := names.resolve(g)
	if err != nil {
		return err
	}
	b.fetches, b.targets = fetches, targets
	for o, t := range feeds {
		b.feed(o, t)
	}
	needed, err := g.Subgraph(b.feeds, fetches, targets)
	if err != nil {
		return failure{err}
	}
	for _, n := range needed {
		if !mustBeFed(n) || slices.Contains(b.feeds, n.Output(0)) {
			continue
		}
		o := n.Output(0)
		t, err := madeUp(n.Name(), o.DataType(), o.Shape())
		if err != nil {
			return err
		}
		b.feed(o, t)
	}
	return nil
}

// feed has all callers feed a tensor.
func (b *bench) feed(o troupe.Output, t *troupe.Tensor) {
	b.feeds = append(b.feeds, o)
	b.make = append(b.make, func() (*troupe.Tensor, error) { return t, nil })
}

// mostMadeUp bounds the elements of a tensor that is made up.
const mostMadeUp = 1 << 28

// madeUp returns a ramp of a shape, in which what is not known is 1.
func madeUp(name string, dt troupe.DataType, s troupe.Shape) (*troupe.Tensor, error) {
	dims := make([]int64, max(0, s.NumDimensions()))
	n := int64(1)
	for i := range dims {
		if dims[i] = s.Size(i); dims[i] < 0 {
			dims[i] = 1
		}
		if dims[i] > 0 && n > mostMadeUp/dims[i] {
			return nil, fmt.Errorf("give --feed %s=VALUE: a made-up tensor of shape %v would be too large", name, s)
		}
		n *= dims[i]
	}
	t, err := benchFeed{DType: dt.String(), Shape: dims, Value: []byte(`"ramp"`)}.tensor()
	if err != nil {
		return nil, fmt.Errorf("give --feed %s=VALUE: tensors of type %v cannot be made up", name, dt)
	}
	return t, nil
}
