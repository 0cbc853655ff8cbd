package notation

import (
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Add adds the nodes that text describes, in the form of [Format]. They
// may take outputs of nodes that the graph has.
// Attributes that have a default or follow from the inputs may be left out.
func Add(g *graph.Graph, text string) error {
	def, err := Parse(text)
	if err != nil {
		return err
	}
	_, err = g.ImportGraphDef(def, graph.ImportOptions{InferAttrs: true, InternalNames: true, Extend: true})
	return err
}

// Parse turns the text form of a graph, which [Format] describes, into
// a serialized GraphDef, whose nodes may lack attributes; see
// [graph.ImportOptions.InferAttrs]. Errors name the line.
func Parse(text string) ([]byte, error) {
	var def, library []byte
	r := textReader{text: text}
	for r.next() {
		var err error
		switch {
		case r.keyword("gradient"):
			var g []byte
			if g, err = r.gradient(); err == nil {
				library = wire.AppendField(library, function.LibraryGradient, g)
			}
		case r.keyword("func"), r.keyword("stateful"):
			var f *graph.Function
			if f, err = r.function(); err == nil {
				library = wire.AppendField(library, function.LibraryFunction, f.Def)
			}
		default:
			var node []byte
			if node, err = r.node(); err == nil && node != nil {
				def = wire.AppendField(def, outline.GraphNode, node)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if library != nil {
		def = wire.AppendField(def, outline.GraphLibrary, library)
	}
	return wire.AppendField(def, outline.GraphVersions, graph.Versions{Producer: graph.Version}.Append(nil)), nil
}

// A textReader reads text line by line.
type textReader struct {
	text string // what is yet to be read
	parser
}

// next goes on to the next line; false at the end.
func (r *textReader) next() bool {
	if r.text == "" {
		return false
	}
	r.parser = parser{line: r.line + 1}
	r.s, r.text, _ = strings.Cut(r.text, "\n")
	return true
}

// keyword reports whether the line begins with a word that is no node's name.
func (p *parser) keyword(word string) bool {
	at := p.pos
	defer func() { p.pos = at }()
	return p.run(" \t=([#") == word && !p.accept('=') && p.pos < len(p.s)
}

// A parser reads one line.
type parser struct {
	s    string
	pos  int
	line int
}

func (p *parser) errorf(format string, args ...any) error {
	e := status.Invalid(format, args...)
	e.Message = "line " + strconv.Itoa(p.line) + ", column " + strconv.Itoa(p.pos+1) + ": " + e.Message
	return e
}

func (p *parser) space() {
	for p.pos < len(p.s) && (p.s[p.pos] == ' ' || p.s[p.pos] == '\t' || p.s[p.pos] == '\r') {
		p.pos++
	}
	if p.pos < len(p.s) && p.s[p.pos] == '#' {
		p.pos = len(p.s)
	}
}

// accept takes the character if it comes next.
func (p *parser) accept(c byte) bool {
	p.space()
	if p.pos < len(p.s) && p.s[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(c byte) error {
	if !p.accept(c) {
		return p.errorf("expected '%c'", c)
	}
	return nil
}

// run takes all characters up to one of stop.
func (p *parser) run(stop string) string {
	p.space()
	start := p.pos
	for p.pos < len(p.s) && p.s[p.pos] != '\r' && strings.IndexByte(stop, p.s[p.pos]) < 0 {
		p.pos++
	}
	return p.s[start:p.pos]
}

// node reads a line: a serialized NodeDef, or nil if the line is empty.
func (p *parser) node() ([]byte, error) {
	if p.space(); p.pos == len(p.s) {
		return nil, nil
	}
	var b []byte
	name := p.run(" \t=(#")
	if err := p.expect('='); err != nil {
		return nil, err
	}
	op := p.run(" \t(#")
	if name == "" || op == "" {
		return nil, p.errorf("expected a node, such as y = Neg(x)")
	}
	b = wire.AppendField(b, outline.NodeName, name)
	b = wire.AppendField(b, outline.NodeOp, op)
	if err := p.expect('('); err != nil {
		return nil, err
	}
	for more := !p.accept(')'); more; more = !p.accept(')') {
		input := p.run(" \t,)#")
		if input == "" {
			return nil, p.errorf("expected an input")
		}
		b = wire.AppendField(b, outline.NodeInput, input)
		if !p.accept(',') {
			if err := p.expect(')'); err != nil {
				return nil, err
			}
			break
		}
	}
	if p.accept('@') {
		b = wire.AppendField(b, outline.NodeDevice, p.run(" \t{#"))
	}
	if p.accept('{') {
		attrs, err := p.attrs()
		if err != nil {
			return nil, err
		}
		if b, err = registry.AppendAttrs(b, outline.NodeAttr, attrs); err != nil {
			return nil, p.errorf("%s", status.From(err).Message)
		}
	}
	if p.space(); p.pos < len(p.s) {
		return nil, p.errorf("unexpected %q after the node", p.s[p.pos:])
	}
	return b, nil
}

// attrs reads attributes after the opening brace, up to the closing one.
func (p *parser) attrs() (registry.Attrs, error) {
	start, depth := p.pos, 1
	for ; p.pos < len(p.s); p.pos++ {
		switch c := p.s[p.pos]; c {
		case '"', '\'':
			for p.pos++; p.pos < len(p.s) && p.s[p.pos] != c; p.pos++ {
				if p.s[p.pos] == '\\' {
					p.pos++
				}
			}
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				attrs, err := registry.ParseAttrs(p.s[start:p.pos])
				if err != nil {
					return nil, p.errorf("%s", status.From(err).Message)
				}
				p.pos++
				return attrs, nil
			}
		}
	}
	return nil, p.errorf("expected '}'")
}
