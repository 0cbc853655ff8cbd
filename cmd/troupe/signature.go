package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// defaultSignature is the signature that is run unless another is named.
const defaultSignature = "serving_default"

// askOf returns the signature that is run, its results and what its inputs are fed.
func (f *runFlags) askOf(m *troupe.SavedModel) (key string, names []string, inputs map[string]*troupe.Tensor, err error) {
	sig, key, err := signatureOfKey(m, f.signature)
	if err != nil {
		return "", nil, nil, err
	}
	if names, err = f.results(sig, key); err != nil {
		return "", nil, nil, err
	}
	if err := f.output.resolve(len(names)); err != nil {
		return "", nil, nil, err
	}
	inputs = map[string]*troupe.Tensor{}
	for _, arg := range f.feeds {
		if err := feedInput(inputs, sig, key, arg); err != nil {
			return "", nil, nil, err
		}
	}
	return key, names, inputs, nil
}

// runSignature runs a signature of a SavedModel: feeds and results go by its names.
func (f *runFlags) runSignature(cmd *cobra.Command, m *model) error {
	model, err := m.load(cmd, f.options(m))
	if err != nil {
		return err
	}
	defer model.Session.Close()
	key, names, inputs, err := f.askOf(model)
	if err != nil {
		return err
	}
	loaded(cmd)
	defer monitor(cmd.Context(), model.Session, cmd.ErrOrStderr())()
	call, err := model.Prepare(cmd.Context(), key)
	if err != nil {
		return failure{err}
	}
	var meta troupe.RunMetadata
	out, err := call.RunWithOptions(cmd.Context(), troupe.RunOptions{Metadata: &meta, Profile: f.trace.asked()}, inputs)
	if traced := f.trace.write(&meta); traced != nil {
		return traced
	}
	if f.stats {
		printStats(cmd.ErrOrStderr(), &meta)
	}
	if err != nil {
		return failure{err}
	}
	values := make([]*troupe.Tensor, len(names))
	for i, name := range names {
		values[i] = out[name]
	}
	return f.print(cmd, names, values)
}

// results returns the names of the results that are wanted: all, unless some are named.
func (f *runFlags) results(sig troupe.Signature, key string) ([]string, error) {
	if len(f.targets) > 0 {
		return nil, fmt.Errorf("--signature %s and --target exclude each other", key)
	}
	if len(f.fetches) == 0 {
		names, _ := resultsOf(sig)
		return names, nil
	}
	for _, name := range f.fetches {
		info, ok := sig.Outputs[name]
		if isOperation(info) {
			return nil, fmt.Errorf("--fetch %s: an operation of signature %s, without a result", name, key)
		}
		if !ok {
			return nil, fmt.Errorf("--fetch %s%s: signature %s has %s", name,
				status.DidYouMean(name, maps.Keys(sig.Outputs)), key, listed(sig.Outputs, "output")+severalFetches(name))
		}
	}
	return f.fetches, nil
}

// resultsOf returns the names of a signature's outputs, and the operations that it names in
// the place of outputs, to be run.
func resultsOf(sig troupe.Signature) (names, operations []string) {
	for _, name := range sorted.Keys(sig.Outputs) {
		if info := sig.Outputs[name]; isOperation(info) {
			operations = append(operations, info.Name)
		} else {
			names = append(names, name)
		}
	}
	return names, operations
}

// isOperation reports whether an output of a signature is an operation and no tensor.
func isOperation(info troupe.TensorInfo) bool { return info.DType == 0 && info.Name != "" }

// initSignature is what TensorFlow's writer keeps the initialization of a model under.
// It runs when a model is loaded, and is no signature of the user's.
const initSignature = "__saved_model_init_op"

// ofUser returns the signatures without that.
func ofUser(signatures map[string]troupe.Signature) map[string]troupe.Signature {
	if _, ok := signatures[initSignature]; !ok {
		return signatures
	}
	own := maps.Clone(signatures)
	delete(own, initSignature)
	return own
}

// signatureOfKey finds a signature of a model; "" is the default one.
func signatureOfKey(m *troupe.SavedModel, key string) (troupe.Signature, string, error) {
	if key == "" {
		key = defaultSignature
	}
	sig, ok := m.Signatures[key]
	if !ok {
		own := ofUser(m.Signatures)
		return sig, key, fmt.Errorf("no signature %q%s; the model has %s", key,
			status.DidYouMean(key, maps.Keys(own)), cmp.Or(strings.Join(sorted.Keys(own), ", "), "none"))
	}
	return sig, key, nil
}

// feedInput reads "NAME=VALUE" or "NAME=@FILE" as an input of a signature.
func feedInput(inputs map[string]*troupe.Tensor, sig troupe.Signature, key, arg string) error {
	name, value, err := cutFeed(arg)
	if err != nil {
		return fmt.Errorf("%w; signature %s has %s", err, key, listed(sig.Inputs, "input"))
	}
	info, ok := sig.Inputs[name]
	if !ok {
		return unknownInput(name, sig, key)
	}
	if inputs[name] != nil {
		return fmt.Errorf("--feed %s given more than once", name)
	}
	t, err := parseValue(name, value, info.DType, info.Shape)
	if err != nil {
		return fmt.Errorf("--feed %s: %w", name, err)
	}
	if isBytes(value, info.DType) { // one string, as the batch that is wanted
		if dims, ok := ofOne(info.Shape); ok {
			if err := t.Reshape(dims); err != nil {
				return fmt.Errorf("--feed %s: %w", name, err)
			}
		}
	}
	inputs[name] = t
	return nil
}

// ofSignature returns a run by the names of a signature as one by those of the graph. All of
// the signature's inputs must be fed.
func (f runFlags) ofSignature(signatures map[string]troupe.Signature) (run runFlags, key string, err error) {
	sig, key, err := signatureOfKey(&troupe.SavedModel{Signatures: signatures}, f.signature)
	if err != nil {
		return run, key, err
	}
	given := map[string]*troupe.Tensor{}
	for _, arg := range f.feeds {
		if err := feedInput(given, sig, key, arg); err != nil {
			return run, key, err
		}
		run.feeds = append(run.feeds, renamed(arg, sig.Inputs))
	}
	for _, name := range sorted.Keys(sig.Inputs) {
		if given[name] == nil {
			return run, key, fmt.Errorf("signature %s: input %s is not fed: give --feed %s=VALUE", key, name, name)
		}
	}
	names, err := f.results(sig, key)
	for _, name := range names {
		run.fetches = append(run.fetches, sig.Outputs[name].Name)
	}
	if len(f.fetches) == 0 {
		_, run.targets = resultsOf(sig)
	}
	return run, key, err
}

// listed is tensors of a signature with their types and shapes, for errors.
func listed(infos map[string]troupe.TensorInfo, what string) string {
	if len(infos) == 0 {
		return "no " + what + "s"
	}
	var all []string
	for _, name := range sorted.Keys(infos) {
		all = append(all, fmt.Sprintf("%s (%v %v)", name, infos[name].DType, infos[name].Shape))
	}
	if len(all) == 1 {
		return "the " + what + " " + all[0]
	}
	return "the " + what + "s " + strings.Join(all, ", ")
}

// nodesOfSignature says, for the end of an error, which tensors of the graph are meant
// by the flags' names that are names of a signature: with --fetch, names are the graph's.
func (f *runFlags) nodesOfSignature(m *model) string {
	var meant []string
	for _, g := range m.saved {
		sig, ok := g.Signatures[defaultSignature]
		if !ok || !slices.Equal(g.Tags, m.tags) {
			continue
		}
		for _, feed := range f.feeds {
			name, _, _ := strings.Cut(feed, "=")
			if info, ok := sig.Inputs[name]; ok && info.Name != name+":0" {
				meant = append(meant, name+" is "+info.Name)
			}
		}
		for _, name := range f.fetches {
			if info, ok := sig.Outputs[name]; ok && info.Name != name+":0" {
				meant = append(meant, name+" is "+info.Name)
			}
		}
	}
	if len(meant) == 0 {
		return ""
	}
	return "; of signature " + defaultSignature + ", " + strings.Join(meant, ", ") + "; --signature " + defaultSignature + " lets names be those of the signature"
}

// unknownInput returns the error of a feed that a signature does not have.
func unknownInput(name string, sig troupe.Signature, key string) error {
	return fmt.Errorf("--feed %s%s: signature %s has %s", name,
		status.DidYouMean(name, maps.Keys(sig.Inputs)), key, listed(sig.Inputs, "input"))
}

// ofOne returns a shape of one element that s allows, unless its rank is not known.
func ofOne(s troupe.Shape) ([]int64, bool) {
	dims := make([]int64, max(0, s.NumDimensions()))
	for i := range dims {
		if dims[i] = 1; s.Size(i) > 1 {
			return nil, false
		}
	}
	return dims, s.NumDimensions() >= 0
}

// A graphOf is a graph of a SavedModel, as JSON has it.
type graphOf struct {
	Tags       []string               `json:"tags"`
	Signatures map[string]signatureOf `json:"signatures"`
	remote     bool                   // of a server, whose protocol may not have the graph's names
}

type signatureOf struct {
	Method  string              `json:"method,omitempty"`
	Inputs  map[string]tensorOf `json:"inputs"`
	Outputs map[string]tensorOf `json:"outputs"`
}

type tensorOf struct {
	Tensor string   `json:"tensor,omitempty"` // "x:0"; none for one that is made of several
	DType  typeName `json:"dtype"`
	Shape  []int64  `json:"shape"` // -1 for what is not known, null for a rank that is not
	text   string
}

// graphsOf returns what a SavedModel has.
func graphsOf(saved []troupe.SavedGraph) []graphOf {
	var all []graphOf
	for _, g := range saved {
		of := graphOf{Tags: g.Tags, Signatures: map[string]signatureOf{}}
		for key, s := range ofUser(g.Signatures) {
			of.Signatures[key] = signatureOf{s.MethodName, tensorsOf(s.Inputs), tensorsOf(s.Outputs)}
		}
		all = append(all, of)
	}
	return all
}

func tensorsOf(infos map[string]troupe.TensorInfo) map[string]tensorOf {
	all := map[string]tensorOf{}
	for name, info := range infos {
		t := tensorOf{Tensor: info.Name, DType: typeName(info.DType), text: fmt.Sprintf("%v %v", info.DType, info.Shape)}
		if isOperation(info) {
			t.text = "an operation" // that is run for what it does, as one that initializes
		}
		if n := info.Shape.NumDimensions(); n >= 0 {
			t.Shape = make([]int64, n)
			for i := range t.Shape {
				t.Shape[i] = info.Shape.Size(i)
			}
		}
		all[name] = t
	}
	return all
}

// write lists what the graph may be asked.
func (g graphOf) write(w io.Writer) {
	fmt.Fprintf(w, "tags %s: %s\n", plain.Line(strings.Join(g.Tags, ",")), count(len(g.Signatures), "signature"))
	g.writeList(w)
}

// writeList lists the signatures alone.
func (g graphOf) writeList(w io.Writer) {
	for _, key := range sorted.Keys(g.Signatures) {
		s := g.Signatures[key]
		fmt.Fprintf(w, "  %s\n", plain.Line(strings.TrimSpace(key+"  "+s.Method)))
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, side := range []struct {
			name    string
			tensors map[string]tensorOf
		}{{"input", s.Inputs}, {"output", s.Outputs}} {
			for _, name := range sorted.Keys(side.tensors) {
				of := side.tensors[name]
				at := of.Tensor
				if at == "" && !g.remote {
					at = "of several tensors"
				}
				fmt.Fprintf(t, "    %s\t%s\t%s\t%s\n", side.name, plain.Line(name), of.text, plain.Line(at))
			}
		}
		t.Flush()
	}
}

// writeSignatures lists the graphs of a SavedModel by their tags, with what each may
// be asked.
func writeSignatures(w io.Writer, all []troupe.SavedGraph) {
	for _, g := range graphsOf(all) {
		g.write(w)
	}
	if len(all) > 0 {
		fmt.Fprintln(w)
	}
}
