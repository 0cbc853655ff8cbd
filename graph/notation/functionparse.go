package notation

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// gradient reads "gradient f = g": a serialized GradientDef.
func (p *parser) gradient() ([]byte, error) {
	p.run(" \t")
	name := p.run(" \t=(#")
	if err := p.expect('='); err != nil {
		return nil, err
	}
	gradient := p.run(" \t#")
	if name == "" || gradient == "" {
		return nil, p.errorf("expected the names of a function and of its gradient")
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return wire.AppendField(wire.AppendField(nil, function.GradientFunction, name), function.GradientGradient, gradient), nil
}

// end makes sure that nothing follows in the line.
func (p *parser) end() error {
	if p.space(); p.pos < len(p.s) {
		return p.errorf("unexpected %q", p.s[p.pos:])
	}
	return nil
}

// function reads a function, of which the present line is the first.
func (r *textReader) function() (*graph.Function, error) {
	begin := r.line
	w, err := r.functionHeader()
	if err != nil {
		return nil, err
	}
	for r.next() {
		if r.accept('}') {
			if err := r.end(); err != nil {
				return nil, err
			}
			f, err := w.Function()
			if err != nil {
				return nil, (&parser{line: begin}).errorf("%s", status.From(err).Message)
			}
			return f, nil
		}
		if r.keyword("return") {
			if err := r.returns(w); err != nil {
				return nil, err
			}
			continue
		}
		node, err := r.node()
		if err != nil {
			return nil, err
		}
		if node != nil {
			w.NodeDef(node)
		}
	}
	return nil, (&parser{line: begin}).errorf("the function is not closed: expected a line with '}'")
}

// functionHeader reads the line that a function begins with.
func (p *parser) functionHeader() (*function.Writer, error) {
	w := &function.Writer{}
	word := p.run(" \t")
	if word == "stateful" {
		w.Signature.Stateful = true
		word = p.run(" \t")
	}
	if word != "func" {
		return nil, p.errorf("expected 'func'")
	}
	if w.Signature.Name = p.run(" \t[(#"); w.Signature.Name == "" {
		return nil, p.errorf("expected the name of the function")
	}
	if p.accept('[') {
		if err := p.list(']', w.Signature.AddAttr); err != nil {
			return nil, err
		}
	}
	if err := p.expect('('); err != nil {
		return nil, err
	}
	addInput := func(spec string) error {
		var attrs registry.Attrs
		if i := strings.IndexByte(spec, '{'); i >= 0 {
			text := strings.TrimRight(spec[i+1:], " \t")
			inner, ok := strings.CutSuffix(text, "}")
			if !ok {
				return status.Invalid("expected '}'")
			}
			var err error
			if attrs, err = registry.ParseAttrs(inner); err != nil {
				return err
			}
			spec = spec[:i]
		}
		w.Args = append(w.Args, attrs)
		return w.Signature.AddInput(spec)
	}
	if err := p.list(')', addInput); err != nil {
		return nil, err
	}
	for _, c := range "->(" {
		if err := p.expect(byte(c)); err != nil {
			return nil, err
		}
	}
	if err := p.list(')', w.Signature.AddOutput); err != nil {
		return nil, err
	}
	if err := p.expect('{'); err != nil {
		return nil, err
	}
	if p.space(); p.pos == len(p.s) {
		return w, nil
	}
	var err error
	if w.Attrs, err = p.attrs(); err != nil {
		return nil, err
	}
	if err := p.expect('{'); err != nil {
		return nil, err
	}
	return w, p.end()
}

// list reads elements separated by commas up to the closing character. Commas
// within brackets, braces, parentheses and quotes do not separate.
func (p *parser) list(closing byte, add func(string) error) error {
	if p.accept(closing) {
		return nil
	}
	for {
		p.space()
		start, depth := p.pos, 0
	element:
		for ; p.pos < len(p.s); p.pos++ {
			switch c := p.s[p.pos]; {
			case c == '"' || c == '\'':
				for p.pos++; p.pos < len(p.s) && p.s[p.pos] != c; p.pos++ {
					if p.s[p.pos] == '\\' {
						p.pos++
					}
				}
			case depth == 0 && (c == ',' || c == closing):
				break element
			case c == '(' || c == '[' || c == '{':
				depth++
			case c == ')' || c == ']' || c == '}':
				depth--
			}
		}
		if p.pos >= len(p.s) {
			p.pos = len(p.s)
			return p.errorf("expected '%c'", closing)
		}
		if err := add(p.s[start:p.pos]); err != nil {
			p.pos = start
			return p.errorf("%s", status.From(err).Message)
		}
		p.pos++
		if p.s[p.pos-1] == closing {
			return nil
		}
	}
}

// returns reads "return y = node:output:0, ^c = node".
func (p *parser) returns(w *function.Writer) error {
	p.run(" \t")
	for {
		control := p.accept('^')
		name := p.run(" \t=,#")
		if err := p.expect('='); err != nil {
			return err
		}
		from := p.run(" \t,#")
		if name == "" || from == "" {
			return p.errorf("expected what is returned, such as y = node:output:0")
		}
		e := function.Entry{Name: name, From: from}
		list := &w.Returns
		if control {
			list = &w.Controls
		}
		if slices.ContainsFunc(*list, func(other function.Entry) bool { return other.Name == name }) {
			return p.errorf("'%s' is returned twice", name)
		}
		*list = append(*list, e)
		if control {
			w.Signature.ControlOutputs = append(w.Signature.ControlOutputs, name)
		}
		if !p.accept(',') {
			return p.end()
		}
	}
}
