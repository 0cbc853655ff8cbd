package ptx

import (
	"slices"
	"strings"
)

// What an instruction does.
const (
	computes = iota
	loads
	stores
	reads // a parameter
	branches
	waits // for all threads of the block
	exits
	nothing
)

// Spaces of memory.
const (
	generic = iota
	global
	shared
	local
)

// A lane computes what an instruction makes of up to three registers, for one thread. A
// register has any bits above those of its type.
type lane func(a, b, c uint64) uint64

// An instruction is decoded. Registers are numbers.
type instruction struct {
	kind, space uint8
	bytes       uint8 // of a load or store
	signed      bool  // what is loaded is extended by its sign
	negated     bool  // the guard
	guard       int32 // a predicate; -1: none
	d, a, b, c  int32
	target      int32 // of a branch
	offset      int64
	do          lane
	line        int32
	text        string
}

// specials are the registers that say which thread it is.
var specials = []string{
	"%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid",
}

// instruction decodes one, which may become several.
func (p *parser) instruction(word string, o []operand) {
	parts := strings.Split(word, ".")
	name, mods := parts[0], parts[1:]
	if len(mods) == 0 {
		mods = []string{""}
	}
	kind := mods[len(mods)-1]
	e := p.entry
	emit := func(in instruction) { e.code = append(e.code, in) }
	need := func(n int) {
		if len(o) != n {
			p.fail("%s has %d operands", word, len(o))
		}
	}
	compute := func(do lane) {
		if do == nil {
			p.fail("the instruction %s is not known", word)
		}
		in := instruction{do: do, d: int32(o[0].register)}
		for i, x := range o[1:] {
			if x.symbol != "" && x.register == 0 || x.memory || x.several != nil {
				p.fail("%s cannot have operand %d", word, i+1)
			}
			switch i {
			case 0:
				in.a = int32(x.register)
			case 1:
				in.b = int32(x.register)
			case 2:
				in.c = int32(x.register)
			default:
				p.fail("%s has %d operands", word, len(o))
			}
		}
		emit(in)
	}
	switch name {
	case "ld", "ldu", "st":
		p.access(name, word, mods, o)
	case "mov":
		need(2)
		p.move(word, kind, o, compute)
	case "cvta":
		need(2)
		do := lane(func(a, _, _ uint64) uint64 { return a })
		switch {
		case slices.Contains(mods, "shared"):
			do = moved(sharedWindow<<windowBits, slices.Contains(mods, "to"))
		case slices.Contains(mods, "local"):
			do = moved(localWindow<<windowBits, slices.Contains(mods, "to"))
		case !slices.Contains(mods, "global") && !slices.Contains(mods, "const"):
			p.fail("the instruction %s is not known", word)
		}
		compute(do)
	case "bra":
		need(1)
		p.jumps = append(p.jumps, jump{len(e.code), p.line, p.scope.prefix + o[0].symbol})
		emit(instruction{kind: branches})
	case "bar", "barrier":
		switch {
		case mods[0] == "warp":
			emit(instruction{kind: nothing})
		case slices.Contains(mods, "sync") && len(o) == 1:
			emit(instruction{kind: waits})
		default:
			p.fail("the instruction %s is not known", word)
		}
	case "membar", "fence":
		emit(instruction{kind: nothing})
	case "ret", "exit":
		if name == "ret" && p.scope.depth > 0 {
			p.jumps = append(p.jumps, jump{len(e.code), p.line, p.scope.prefix + end})
			emit(instruction{kind: branches})
			return
		}
		emit(instruction{kind: exits})
	case "setp":
		p.compare(word, mods, kind, o, emit)
	case "selp":
		need(4)
		compute(func(a, b, c uint64) uint64 {
			if c != 0 {
				return a
			}
			return b
		})
	case "cvt":
		need(2)
		if len(mods) < 2 {
			p.fail("%s has no types", word)
		}
		compute(conversion(mods[len(mods)-2], kind, mods[:len(mods)-2]))
	case "lop3":
		need(5)
		compute4 := o[4].register
		table := uint8(0)
		for c, n := range e.constants {
			if n == compute4 {
				table = uint8(c.bits)
			}
		}
		o = o[:4]
		compute(lookup(table))
	case "prmt":
		need(4)
		compute(permute)
	case "shf":
		need(4)
		compute(funnel(mods))
	case "bfi":
		need(5)
		p.insert(word, kind, o, emit)
	default:
		if len(o) < 2 {
			p.fail("the instruction %s is not known", word)
		}
		if p.carry(word, name, kind, mods[:len(mods)-1], o) {
			return
		}
		compute(arithmetic(name, kind, mods[:len(mods)-1]))
	}
}

// moved returns an address brought to, or from, a window of the generic space.
func moved(by uint64, to bool) lane {
	if to {
		by = -by
	}
	return func(a, _, _ uint64) uint64 { return a + by }
}

// access decodes loads and stores. One of several elements becomes several.
func (p *parser) access(name, word string, mods []string, o []operand) {
	if len(o) != 2 {
		p.fail("%s has %d operands", word, len(o))
	}
	kind := mods[len(mods)-1]
	n := sizes[kind]
	if n == 0 {
		p.fail("%s has no type", word)
	}
	in := instruction{kind: loads, bytes: uint8(n), signed: kind[0] == 's'}
	where, values := o[1], o[0]
	if name == "st" {
		in.kind, where, values = stores, o[0], o[1]
	}
	for _, mod := range mods[:len(mods)-1] {
		switch mod {
		case "global", "const":
			in.space = global
		case "shared":
			in.space = shared
		case "local":
			in.space = local
		case "param":
			in.kind = reads
		case "nc", "v2", "v4", "volatile", "relaxed", "gpu", "cta", "sys", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "weak":
		default:
			p.fail("the instruction %s is not known", word)
		}
	}
	if !where.memory {
		p.fail("%s has no address", word)
	}
	in.a, in.offset = int32(where.register), where.offset
	if in.kind == reads {
		if slot, ok := p.slotAt(where.symbol, where.offset); ok {
			move := instruction{do: func(a, _, _ uint64) uint64 { return a }, d: int32(values.register), a: int32(slot)}
			if name == "st" {
				move.d, move.a = move.a, int32(values.register)
			}
			p.entry.code = append(p.entry.code, move)
			return
		}
		at, ok := p.params[where.symbol]
		if !ok || name == "st" || at+int(where.offset)+n > p.entry.ParamBytes() {
			p.fail("%s: there is no parameter %s", word, where.symbol)
		}
		in.offset += int64(at)
	} else if where.symbol != "" && where.register == 0 {
		p.fail("there is no variable %s", where.symbol)
	}
	list := values.several
	if list == nil {
		list = []operand{values}
	}
	if len(list) > 1 && in.kind == loads { // the address may be among what is loaded
		in.a = p.copied(in.a)
	}
	for i, v := range list {
		one := in
		one.offset += int64(i * n)
		if in.kind == stores {
			one.b = int32(v.register)
		} else {
			one.d = int32(v.register)
		}
		p.entry.code = append(p.entry.code, one)
	}
}

// copied returns a register of its own that has what another has.
func (p *parser) copied(from int32) int32 {
	e := p.entry
	to := int32(e.registers)
	e.registers++
	e.code = append(e.code, instruction{do: func(a, _, _ uint64) uint64 { return a }, d: to, a: from})
	return to
}

// move decodes mov, also of parts of a register.
func (p *parser) move(word, kind string, o []operand, compute func(lane)) {
	e := p.entry
	bits := uint(8 * sizes[kind])
	switch to, from := o[0], o[1]; {
	case to.several != nil:
		n := len(to.several)
		if n != 2 && n != 4 || from.memory {
			p.fail("%s into %d parts", word, n)
		}
		source := p.copied(int32(from.register))
		part := bits / uint(n)
		for i, t := range to.several {
			shift, mask := uint(i)*part, uint64(1)<<part-1
			e.code = append(e.code, instruction{do: func(a, _, _ uint64) uint64 { return a >> shift & mask }, d: int32(t.register), a: source})
		}
	case from.several != nil:
		if len(from.several) != 2 {
			p.fail("%s from %d parts", word, len(from.several))
		}
		part := bits / 2
		mask := uint64(1)<<part - 1
		e.code = append(e.code, instruction{
			do: func(a, b, _ uint64) uint64 { return a&mask | b&mask<<part },
			d:  int32(to.register), a: int32(from.several[0].register), b: int32(from.several[1].register),
		})
	default:
		if from.symbol != "" && from.register == 0 {
			p.fail("there is no variable %s", from.symbol)
		}
		compute(func(a, _, _ uint64) uint64 { return a })
	}
}

// insert decodes bfi, which has four operands: where and how many bits must be numbers.
func (p *parser) insert(word, kind string, o []operand, emit func(instruction)) {
	numbers := [2]uint64{}
	for i, x := range o[3:] {
		found := false
		for c, n := range p.entry.constants {
			if n == x.register && c.global == "" {
				numbers[i], found = c.bits, true
			}
		}
		if !found {
			p.fail("%s of a register's number of bits is not known", word)
		}
	}
	at, count := uint(numbers[0]&255), uint(numbers[1]&255)
	mask := uint64(1)<<count - 1
	if 8*sizes[kind] == 32 {
		mask = uint64(uint32(mask << at))
	} else {
		mask <<= at
	}
	emit(instruction{
		do: func(a, b, _ uint64) uint64 { return b&^mask | a<<at&mask },
		d:  int32(o[0].register), a: int32(o[1].register), b: int32(o[2].register),
	})
}

// compare decodes setp.
func (p *parser) compare(word string, mods []string, kind string, o []operand, emit func(instruction)) {
	do := comparison(mods[0], kind)
	for _, mod := range mods[1 : len(mods)-1] {
		if mod != "ftz" {
			do = nil // it combines with another predicate
		}
	}
	if do == nil || len(o) != 3 {
		p.fail("the instruction %s is not known", word)
	}
	in := instruction{do: do, d: int32(o[0].register), a: int32(o[1].register), b: int32(o[2].register)}
	if o[0].second >= 0 {
		in.a, in.b = p.copied(in.a), p.copied(in.b)
		emit(instruction{do: func(a, b, c uint64) uint64 { return do(a, b, c) ^ 1 }, d: int32(o[0].second), a: in.a, b: in.b})
	}
	emit(in)
}
