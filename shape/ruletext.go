package shape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parseRule reads the text of a [Rule].
func parseRule(text string) (*rule, error) {
	r := &rule{}
	p := ruleParser{text: text, rule: r}
	p.next()
	r.in = p.args("->", false)
	p.expect("->")
	r.out = p.args("", true)
	if p.err == nil && p.tok != "" {
		p.fail("unexpected %q", p.tok)
	}
	if p.err != nil {
		return nil, p.err
	}
	return r, nil
}

// A ruleParser is a parser by recursive descent. After the first error tok is
// empty, so that every loop ends.
type ruleParser struct {
	text string // what follows tok
	tok  string // a name, a number, "->", "..." or one character; "" at the end
	rule *rule
	err  error
}

func (p *ruleParser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	p.tok, p.text = "", ""
}

func (p *ruleParser) next() {
	p.text = strings.TrimLeft(p.text, " \t\n")
	n := 0
	switch {
	case p.text == "":
	case strings.HasPrefix(p.text, "->"):
		n = 2
	case strings.HasPrefix(p.text, "..."):
		n = 3
	default:
		n = strings.IndexFunc(p.text, func(c rune) bool { return !isNameRune(c) })
		switch {
		case n < 0:
			n = len(p.text)
		case n == 0:
			_, n = utf8.DecodeRuneInString(p.text)
		}
	}
	p.tok, p.text = p.text[:n], p.text[n:]
}

func isNameRune(c rune) bool {
	return c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_')
}

func (p *ruleParser) accept(tok string) bool {
	if p.tok != tok {
		return false
	}
	p.next()
	return true
}

func (p *ruleParser) expect(tok string) {
	if !p.accept(tok) {
		p.fail("expected %q, found %q", tok, p.tok)
	}
}

// args reads arguments up to the token end.
func (p *ruleParser) args(end string, outputs bool) []ruleArg {
	var args []ruleArg
	for p.tok != end && p.err == nil {
		args = append(args, p.arg(outputs))
		if !p.accept(",") {
			break
		}
		if p.tok == end {
			p.fail("a comma before %q", end)
		}
	}
	return args
}

func (p *ruleParser) arg(output bool) ruleArg {
	a := ruleArg{name: p.tok, dimValue: -1}
	if !isWord(p.tok) {
		p.fail("expected the name of an argument, found %q", p.tok)
	}
	p.next()
	p.expect(":")
	a.handle = !output && p.accept("*")
	a.pattern = p.pattern(output)
	if output || !p.accept("=") {
		return a
	}
	if isDimName(p.tok) {
		a.dimValue = variable(&p.rule.dims, p.tok)
		p.next()
		return a
	}
	value := p.pattern(false)
	a.shapeValue = &value
	return a
}

func (p *ruleParser) pattern(output bool) pattern {
	t := pattern{whole: -1}
	switch {
	case p.accept("?"):
		t.any = true
	case p.accept("["):
		t.items = p.items(output)
	case isShapeName(p.tok):
		t.whole = variable(&p.rule.shapes, p.tok)
		p.next()
	default:
		p.fail("expected a pattern, found %q", p.tok)
	}
	return t
}

// items reads what follows an opening bracket.
func (p *ruleParser) items(output bool) []ruleItem {
	items := []ruleItem{}
	segments := 0
	for p.tok != "]" && p.err == nil {
		item := p.item()
		if item.segment {
			segments++
		}
		if segments > 1 && !output {
			p.fail("two segments in one input")
		}
		items = append(items, item)
		if !p.accept(",") {
			break
		}
		if p.tok == "]" {
			p.fail("a comma before ']'")
		}
	}
	p.expect("]")
	return items
}

func (p *ruleParser) item() ruleItem {
	switch {
	case p.accept("..."):
		return ruleItem{segment: true, shape: -1}
	case p.accept("?"):
		return ruleItem{any: true}
	case isShapeName(p.tok):
		v := variable(&p.rule.shapes, p.tok)
		p.next()
		p.expect("...")
		return ruleItem{segment: true, shape: v}
	}
	item := ruleItem{number: 1}
	for {
		switch n, err := strconv.ParseUint(p.tok, 10, 31); {
		case err == nil:
			d, err := MulDims(item.number, int64(n))
			if err != nil {
				p.fail("%v", err)
			}
			item.number = d
		case isDimName(p.tok):
			item.vars = append(item.vars, variable(&p.rule.dims, p.tok))
		default:
			p.fail("expected a dimension, found %q", p.tok)
		}
		p.next()
		if !p.accept("*") {
			return item
		}
	}
}

func isWord(tok string) bool { return tok != "" && isNameRune(rune(tok[0])) && !isDigit(tok[0]) }

func isShapeName(tok string) bool { return tok != "" && tok[0] >= 'A' && tok[0] <= 'Z' }

func isDimName(tok string) bool { return tok != "" && tok[0] >= 'a' && tok[0] <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// variable returns the index of a name, which is added if it is new.
func variable(names *[]string, name string) int {
	for i, n := range *names {
		if n == name {
			return i
		}
	}
	*names = append(*names, name)
	return len(*names) - 1
}

// text returns a pattern as written.
func (r *rule) text(p *pattern) string {
	var b strings.Builder
	switch {
	case p.any:
		b.WriteByte('?')
	case p.whole >= 0:
		b.WriteString(r.shapes[p.whole])
	default:
		b.WriteByte('[')
		for k := range p.items {
			if k > 0 {
				b.WriteByte(',')
			}
			r.writeItem(&b, &p.items[k])
		}
		b.WriteByte(']')
	}
	return b.String()
}

func (r *rule) writeItem(b *strings.Builder, item *ruleItem) {
	switch {
	case item.any:
		b.WriteByte('?')
	case item.segment:
		if item.shape >= 0 {
			b.WriteString(r.shapes[item.shape])
		}
		b.WriteString("...")
	default:
		factors := make([]string, 0, 1+len(item.vars))
		if item.number != 1 || len(item.vars) == 0 {
			factors = append(factors, strconv.FormatInt(item.number, 10))
		}
		for _, v := range item.vars {
			factors = append(factors, r.dims[v])
		}
		b.WriteString(strings.Join(factors, "*"))
	}
}
