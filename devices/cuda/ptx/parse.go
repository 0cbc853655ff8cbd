package ptx

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Module is what one PTX text defines.
type Module struct {
	Target  string // such as sm_90
	Entries map[string]*Entry
	Globals []Global
}

// A Global is a variable of a module in the device's memory. Who loads the module gives it
// an address.
type Global struct {
	Name    string
	Size    int64
	Init    []byte // of Size, or none
	Address uint64
}

// An Entry is a kernel.
type Entry struct {
	Name   string
	Params []Param
	Shared int // bytes that a block's threads share
	Local  int // bytes that each thread has

	module    *Module
	code      []instruction
	registers int
	constants map[constant]int // registers that no instruction writes
	named     map[string]int   // registers by name
	threads   int              // the most of a block that .maxntid allows; 0: any
}

// A Param is a parameter of an entry: where its bytes lie among those of all.
type Param struct {
	Offset, Size int
}

// A constant is a number, or the address of a global.
type constant struct {
	bits   uint64
	global string
}

// ParamBytes returns how many bytes the parameters take.
func (e *Entry) ParamBytes() int {
	if len(e.Params) == 0 {
		return 0
	}
	last := e.Params[len(e.Params)-1]
	return last.Offset + last.Size
}

// Parse decodes a module. Its errors name the line.
func Parse(text string) (m *Module, err error) {
	p := parser{lexer: lexer{text: text}, module: &Module{Entries: map[string]*Entry{}}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(syntaxError)
			if !ok {
				panic(r)
			}
			m, err = nil, e.error
		}
	}()
	p.functions = map[string]body{}
	p.next()
	for p.tok != "" {
		p.definition()
	}
	for _, at := range p.entries {
		p.lexer = at
		p.kernel()
	}
	return p.module, nil
}

type parser struct {
	lexer
	module    *Module
	entries   []lexer
	functions map[string]body

	// Of the entry that is being parsed.
	entry  *Entry
	scope  scope
	calls  int
	slots  map[string]bool // of calls
	params map[string]int  // offsets by name
	shared map[string]int
	local  map[string]int
	labels map[string]int
	jumps  []jump // whose labels may come later
}

type jump struct {
	at, line int
	label    string
}

// definition parses what stands outside of entries.
func (p *parser) definition() {
	switch word := p.take(); word {
	case ".version", ".address_size":
		p.take()
	case ".target":
		p.module.Target = p.take()
		for p.accept(",") {
			p.take()
		}
	case ".visible", ".weak":
	case ".entry":
		p.entries = append(p.entries, p.lexer)
		p.skip()
	case ".func":
		p.function()
	case ".global", ".const":
		name, size, init := p.variable()
		p.module.Globals = append(p.module.Globals, Global{Name: name, Size: int64(size), Init: init})
	default:
		p.fail("%q is not known", word)
	}
}

// sizes of types, in bytes.
var sizes = map[string]int{
	"b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "b32": 4, "u32": 4, "s32": 4, "f32": 4, "b64": 8, "u64": 8, "s64": 8, "f64": 8, "pred": 1,
}

// sizeOf returns the size of a type that is written as a directive.
func (p *parser) sizeOf(directive string) int {
	n := sizes[strings.TrimPrefix(directive, ".")]
	if n == 0 {
		p.fail("%q is not a type", directive)
	}
	return n
}

// variable parses [.align N] .type name[n] [= {…}];
func (p *parser) variable() (name string, size int, init []byte) {
	if p.accept(".align") {
		p.take()
	}
	element := p.sizeOf(p.take())
	name, size = p.take(), element
	for p.accept("[") {
		size *= int(p.integer())
		p.expect("]")
	}
	if size < 0 || size > 1<<24 {
		p.fail("%s has %d bytes", name, size)
	}
	if p.accept("=") {
		p.expect("{")
		for !p.accept("}") {
			v := binary.LittleEndian.AppendUint64(nil, uint64(p.integer()))
			init = append(init, v[:element]...)
			p.accept(",")
		}
		if len(init) > size {
			p.fail("%s has too many elements", name)
		}
		init = append(init, make([]byte, size-len(init))...)
	}
	p.expect(";")
	return name, size, init
}

// kernel parses an entry.
func (p *parser) kernel() {
	e := &Entry{Name: p.take(), module: p.module, constants: map[constant]int{}, named: map[string]int{}}
	p.entry, p.params, p.shared, p.local, p.labels, p.jumps = e, map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, nil
	p.scope, p.slots, p.calls = scope{}, map[string]bool{}, 0
	for _, name := range specials {
		e.register(name)
	}
	p.expect("(")
	for !p.accept(")") {
		p.expect(".param")
		if p.accept(".align") {
			p.take()
		}
		n := p.sizeOf(p.take())
		offset := (e.ParamBytes() + n - 1) / n * n
		e.Params = append(e.Params, Param{offset, n})
		p.params[p.take()] = offset
		p.accept(",")
	}
	for p.tok == ".maxntid" || p.tok == ".minnctapersm" {
		bound := p.tok == ".maxntid" // the other is for whoever shares out registers
		p.next()
		n := int(p.integer())
		for p.accept(",") {
			n *= int(p.integer())
		}
		if bound {
			e.threads = n
		}
	}
	p.block()
	for _, j := range p.jumps {
		target, ok := p.labels[j.label]
		if !ok {
			p.line = j.line
			p.fail("there is no label %s", j.label)
		}
		e.code[j.at].target = int32(target)
	}
	e.code = append(e.code, instruction{kind: exits, guard: -1, text: "the end"})
	p.module.Entries[e.Name] = e
}

// register returns the number of a register by name, which it makes if there is none.
func (e *Entry) register(name string) int {
	if n, ok := e.named[name]; ok {
		return n
	}
	e.named[name] = e.registers
	e.registers++
	return e.registers - 1
}

// named returns the register that a name means.
func (p *parser) named(name string) (int, bool) {
	n, ok := p.entry.named[p.scope.prefix+name]
	if !ok && slices.Contains(specials, name) {
		n, ok = p.entry.named[name]
	}
	return n, ok
}

// constant returns a register that has a number.
func (e *Entry) constant(c constant) int {
	if n, ok := e.constants[c]; ok {
		return n
	}
	e.constants[c] = e.registers
	e.registers++
	return e.registers - 1
}

// statement parses a declaration, a label or an instruction of an entry.
func (p *parser) statement() {
	switch p.tok {
	case "":
		p.fail("%s does not end", p.entry.Name)
	case ".reg":
		p.next()
		p.sizeOf(p.take())
		for {
			name := p.take()
			if p.accept("<") {
				n := p.integer()
				if n < 0 || n > 1<<16 {
					p.fail("%d registers", n)
				}
				for i := range n {
					p.entry.register(p.scope.prefix + name + strconv.FormatInt(i, 10))
				}
				p.expect(">")
			} else {
				p.entry.register(p.scope.prefix + name)
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect(";")
	case ".shared", ".local":
		space, total := p.shared, &p.entry.Shared
		if p.take() == ".local" {
			space, total = p.local, &p.entry.Local
		}
		name, size, _ := p.variable()
		*total = (*total + 15) / 16 * 16
		space[p.scope.prefix+name] = *total
		*total += size
	case ".param":
		p.slots[p.scope.prefix+p.slot()] = true
		p.expect(";")
	case ".pragma":
		for !p.accept(";") {
			p.next()
		}
	default:
		guard, negated := -1, false
		if p.accept("@") {
			negated = p.accept("!")
			guard, _ = p.named(p.take())
		}
		word := p.take()
		if guard < 0 && p.accept(":") {
			p.labels[p.scope.prefix+word] = len(p.entry.code)
			return
		}
		if word == "call" || word == "call.uni" {
			if guard >= 0 {
				p.fail("the instruction %s under a condition is not known", word)
			}
			p.call()
			return
		}
		from, begin := p.line, len(p.entry.code)
		operands := p.operands()
		after := p.line
		p.line = from
		p.instruction(word, operands)
		p.line = after
		for i := begin; i < len(p.entry.code); i++ {
			in := &p.entry.code[i]
			in.guard, in.negated, in.line = int32(guard), negated, int32(from+1)
			in.text = word
		}
	}
}

// An operand is a register or a constant, memory at an address, or several.
type operand struct {
	register int
	symbol   string // a name: a label, a variable
	memory   bool
	offset   int64
	several  []operand
	second   int // of a pair p|q of predicates; -1: none
}

func (p *parser) operands() (all []operand) {
	for !p.accept(";") {
		all = append(all, p.operand())
		p.accept(",")
	}
	return all
}

func (p *parser) operand() operand {
	o := operand{second: -1}
	switch {
	case p.accept("["):
		base := p.operand()
		o.memory, o.register, o.symbol, o.offset = true, base.register, base.symbol, 0
		if p.accept("+") {
			o.offset = p.integer()
		}
		p.expect("]")
	case p.accept("{"):
		for !p.accept("}") {
			o.several = append(o.several, p.operand())
			p.accept(",")
		}
	case p.tok == "-" || p.tok != "" && p.tok[0] >= '0' && p.tok[0] <= '9':
		o.register = p.entry.constant(constant{bits: p.number()})
	default:
		name := p.take()
		if n, ok := p.named(name); ok {
			o.register = n
			if p.accept("|") {
				o.second = p.entry.register(p.scope.prefix + p.take())
			}
			break
		}
		o.symbol = name
		if at, ok := p.shared[p.scope.prefix+name]; ok {
			o.register = p.entry.constant(constant{bits: uint64(at)})
		} else if at, ok := p.local[p.scope.prefix+name]; ok {
			o.register = p.entry.constant(constant{bits: uint64(at)})
		} else {
			for _, g := range p.module.Globals {
				if g.Name == name {
					o.register = p.entry.constant(constant{global: name})
				}
			}
		}
	}
	return o
}

// number parses a number: its bits. Floats are written by their bits.
func (p *parser) number() uint64 {
	negative := p.accept("-")
	word := p.take()
	digits := word
	base := 0
	if len(word) > 2 && word[0] == '0' {
		switch word[1] {
		case 'f', 'F', 'd', 'D':
			base, digits = 16, word[2:]
		}
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, "U"), base, 64)
	if err != nil {
		f, err := strconv.ParseFloat(word, 64)
		if err != nil {
			p.fail("%q is not a number", word)
		}
		n = math.Float64bits(f)
	}
	if negative {
		n = -n
	}
	return n
}

func (p *parser) integer() int64 { return int64(p.number()) }
