package notation

import (
	"bytes"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// library writes functions and their gradients.
func (p *printer) library(g *graph.Graph) {
	for _, f := range g.Functions() {
		if len(p.b) > 0 {
			p.text("\n")
		}
		from := len(p.b)
		if err := p.function(g, f); err != nil {
			p.b = append(p.b[:from], "# function "...)
			p.text(oneLine(f.Name), " cannot be written: ", oneLine(status.From(err).Message), "\n")
		}
	}
	for _, name := range g.Differentiated() {
		gradient := g.FunctionGradient(name)
		if !writable(name, " \t=(#") || !writable(gradient, " \t#") {
			p.text("# gradient ", oneLine(name), " = ", oneLine(gradient), "\n")
			continue
		}
		p.text("gradient ", name, " = ", gradient, "\n")
	}
}

// oneLine is s as a comment can have it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, s)
}

// writable reports whether s is not empty and has none of the characters that end
// it in the text.
func writable(s, stop string) bool {
	return s != "" && !strings.ContainsAny(s, stop) && !strings.ContainsAny(s, "\r\n")
}

// function writes a function; it fails if it cannot be read again.
func (p *printer) function(g *graph.Graph, f *graph.Function) error {
	def, err := f.Definition()
	if err != nil {
		return err
	}
	var dec registry.AttrDecoder
	from := len(p.b)
	if err := p.signature(&dec, f, def); err != nil {
		return err
	}
	header := textReader{parser: parser{s: string(p.b[from : len(p.b)-1])}}
	if w, err := header.functionHeader(); err != nil || !sameSignature(&w.Signature, f.Signature) {
		return status.Invalid("the text has no form for its signature")
	}
	for i := range def.Nodes {
		if err := p.bodyNode(g, &dec, def, &def.Nodes[i]); err != nil {
			return err
		}
	}
	if err := p.returns(f, def); err != nil {
		return err
	}
	p.text("}\n")
	return nil
}

// signature writes the line that a function begins with.
func (p *printer) signature(dec *registry.AttrDecoder, f *graph.Function, def *function.Definition) error {
	sig := f.Signature
	if sig.Stateful {
		p.text("stateful ")
	}
	p.text("func ", sig.Name)
	for i := range sig.Attrs {
		p.text(open(i, "["), sig.Attrs[i].Name, ": ", sig.Attrs[i].Spec())
	}
	if len(sig.Attrs) > 0 {
		p.text("]")
	}
	p.text("(")
	for i := range sig.Inputs {
		p.text(open(i, ""), sig.Inputs[i].Name, ": ", sig.Inputs[i].Spec())
		attrs, err := def.Argument(dec, i)
		if err != nil {
			return status.Within(err, "argument '%s'", sig.Inputs[i].Name)
		}
		p.attrs(attrs)
	}
	p.text(") -> (")
	for i := range sig.Outputs {
		p.text(open(i, ""), sig.Outputs[i].Name, ": ", sig.Outputs[i].Spec())
	}
	p.text(")")
	attrs, err := def.Decode(dec, def.Attrs)
	if err != nil {
		return err
	}
	p.attrs(attrs)
	p.text(" {\n")
	return nil
}

// open returns what goes before element i of a list.
func open(i int, first string) string {
	if i == 0 {
		return first
	}
	return ", "
}

// sameSignature compares signatures without their documentation.
func sameSignature(a, b *registry.OpDef) bool {
	x, err := registry.MarshalOpDef(bare(a))
	if err != nil {
		return false
	}
	y, err := registry.MarshalOpDef(bare(b))
	return err == nil && bytes.Equal(x, y)
}

// bare returns a signature without documentation and control outputs.
func bare(d *registry.OpDef) *registry.OpDef {
	c := *d
	c.Summary, c.Description, c.ControlOutputs = "", "", nil
	c.Inputs, c.Outputs, c.Attrs = slices.Clone(d.Inputs), slices.Clone(d.Outputs), slices.Clone(d.Attrs)
	for _, args := range [][]registry.ArgDef{c.Inputs, c.Outputs} {
		for i := range args {
			args[i].Description = ""
		}
	}
	for i := range c.Attrs {
		c.Attrs[i].Description = ""
	}
	return &c
}

// bodyNode writes a node of a body.
func (p *printer) bodyNode(g *graph.Graph, dec *registry.AttrDecoder, def *function.Definition, n *outline.Node) error {
	name, op, device := def.Text(n.Name), def.Text(n.Op), def.Text(n.Device)
	if !writable(name, " \t=(#") || name == "}" || !writable(op, " \t(#") || device != "" && !writable(device, " \t{#") {
		return status.Invalid("the text has no form for node '%s' (%s) on '%s'", name, op, device)
	}
	p.text("  ", name, " = ", op, "(")
	for k := n.Input; k < n.Input+n.NumInputs; k++ {
		in := def.Text(def.Inputs[k].Text)
		if !writable(in, " \t,)#") {
			return status.Invalid("the text has no form for input '%s' of node '%s'", in, name)
		}
		p.text(open(int(k-n.Input), ""), in)
	}
	p.text(")")
	entries, err := def.Entries(n)
	if err != nil {
		return err
	}
	attrs, err := def.Decode(dec, entries)
	if err != nil {
		return outline.NodeError(err, name, op)
	}
	if !p.format.Defaults {
		if d := g.OpDef(op); d != nil {
			attrs = d.WithoutDefaults(attrs)
		}
	}
	p.b = p.format.AppendRest(p.b, device, attrs)
	p.text("\n")
	return nil
}

// returns writes what a function returns, by the signature and then by name.
func (p *printer) returns(f *graph.Function, def *function.Definition) error {
	sep := "  return "
	write := func(prefix string, known []string, all map[string]string) error {
		for _, name := range sorted.Keys(all) {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
		for _, name := range known {
			from, ok := all[name]
			if !ok {
				continue // an error once the function is instantiated
			}
			if !writable(name, " \t=,#") || name[0] == '^' || !writable(from, " \t,#") {
				return status.Invalid("the text has no form for '%s%s = %s'", prefix, name, from)
			}
			p.text(sep, prefix, name, " = ", from)
			sep = ", "
		}
		return nil
	}
	var outputs []string
	for i := range f.Signature.Outputs {
		outputs = append(outputs, f.Signature.Outputs[i].Name)
	}
	if err := write("", outputs, def.Returns); err != nil {
		return err
	}
	if err := write("^", slices.Clone(f.Signature.ControlOutputs), def.Controls); err != nil {
		return err
	}
	if sep == ", " {
		p.text("\n")
	}
	return nil
}
