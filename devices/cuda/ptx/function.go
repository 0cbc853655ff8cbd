package ptx

import "strconv"

// A body is a function or an entry that is parsed later: a function wherever it is called,
// as if it stood there.
type body struct {
	at      lexer    // before what follows its name
	results []string // names of what it answers
	formals []string
}

// A scope is what names mean in one call of a function. The entry's own has no prefix.
type scope struct {
	prefix string
	slots  map[string]string // parameters, and what is answered, by the names that the function gives them
	depth  int
}

// mostDepth bounds calls within calls.
const mostDepth = 16

// function takes a function down: [(results)] name (parameters) and a body, or a semicolon.
func (p *parser) function() {
	var b body
	if p.tok == "(" {
		b.results = p.formals()
	}
	name := p.take()
	if p.tok == "(" {
		b.formals = p.formals()
	}
	if p.accept(";") {
		return
	}
	b.at = p.lexer
	p.skip()
	p.functions[name] = b
}

// formals parses (.param .type name, …).
func (p *parser) formals() (names []string) {
	p.expect("(")
	for !p.accept(")") {
		names = append(names, p.slot())
		p.accept(",")
	}
	return names
}

// slot parses .param [.align n] .type name[size].
func (p *parser) slot() string {
	p.expect(".param")
	if p.accept(".align") {
		p.take()
	}
	p.sizeOf(p.take())
	name := p.take()
	for p.accept("[") {
		p.take()
		p.expect("]")
	}
	return name
}

// skip goes beyond the next braces.
func (p *parser) skip() {
	for depth := 0; ; {
		switch p.take() {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return
			}
		case "":
			p.fail("braces do not end")
		}
	}
}

// call parses [(results),] name[, (arguments)]; and puts the function there.
func (p *parser) call() {
	list := func() (names []string) {
		for p.expect("("); !p.accept(")"); p.accept(",") {
			names = append(names, p.scope.prefix+p.take())
		}
		p.accept(",")
		return names
	}
	var results, arguments []string
	if p.tok == "(" {
		results = list()
	}
	name := p.take()
	if p.accept(",") {
		arguments = list()
	}
	p.expect(";")
	f, ok := p.functions[name]
	if !ok || len(f.results) != len(results) || len(f.formals) != len(arguments) || p.scope.depth == mostDepth {
		p.fail("there is no function %s of %d parameters that could be called", name, len(arguments))
	}
	back, caller := p.lexer, p.scope
	p.calls++
	p.scope = scope{prefix: strconv.Itoa(p.calls) + ":", slots: map[string]string{}, depth: caller.depth + 1}
	for i, formal := range f.formals {
		p.scope.slots[formal] = arguments[i]
	}
	for i, formal := range f.results {
		p.scope.slots[formal] = results[i]
	}
	p.lexer = f.at
	p.block()
	p.labels[p.scope.prefix+end] = len(p.entry.code)
	p.lexer, p.scope = back, caller
}

// end is the label of where a function ends.
const end = " end"

// block parses statements in braces.
func (p *parser) block() {
	p.expect("{")
	for depth := 1; depth > 0; {
		switch {
		case p.accept("{"):
			depth++
		case p.accept("}"):
			depth--
		default:
			p.statement()
		}
	}
}

// slotAt returns the register that has what is at a place of a parameter of a call, or of what
// it answers.
func (p *parser) slotAt(symbol string, offset int64) (int, bool) {
	name, ok := p.scope.slots[symbol]
	if !ok {
		if name = p.scope.prefix + symbol; !p.slots[name] {
			return 0, false
		}
	}
	return p.entry.register(name + "+" + strconv.FormatInt(offset, 10)), true
}
