package strings

import (
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
)

// An expression is a compiled pattern. Its last compilation is kept: nodes tend
// to see one pattern.
type expression struct{ last atomic.Pointer[compiled] }

type compiled struct {
	pattern string
	find    func() *regexp.Regexp // its first mostGroups groups are the pattern's
	whole   func() *regexp.Regexp // matches whole strings only
	later   func() *regexp.Regexp // a character and then, as group 1, what find matches
	size    int                   // about how many instructions find has
	groups  int                   // of the pattern
}

const (
	// mostInstructions is about how large RE2 lets an expression become, with the
	// memory that TensorFlow gives it.
	mostInstructions = 500_000
	// mostText is how long the text of an expression may be: one of that many literals
	// is too large, and to read it takes some 50 ms and textEach bytes for each of its.
	mostText = 1 << 20
	textEach = 24
	// mostKept is how many instructions an expression may have that a node keeps.
	mostKept = 20_000
	// bytesEach is what an instruction takes while it is compiled.
	bytesEach = 120
	// mostGroups is how many groups a replacement can name. Others are not followed:
	// a search would keep their places for each of its threads.
	mostGroups = 9
)

func (e *expression) compile(ctx *kernel.Context, pattern string) (*compiled, error) {
	if c := e.last.Load(); c != nil && c.pattern == pattern {
		return c, nil
	}
	text := textEach * min(len(pattern), mostText)
	if err := ctx.Reserve(text); err != nil {
		return nil, err
	}
	c, err := parse(pattern)
	ctx.Unreserve(text)
	if err != nil {
		return nil, err
	}
	if c.size <= mostKept {
		e.last.Store(c)
		return c, nil
	}
	work := 2 * bytesEach * c.size
	if err := ctx.Reserve(work); err != nil {
		return nil, err
	}
	defer ctx.Unreserve(work)
	_ = c.find()
	return c, ctx.Err()
}

func tooLarge(pattern string) error {
	return status.Invalid("Invalid pattern: %s, error: pattern too large - compile failed", shorten(pattern))
}

// parse checks a pattern, of which it makes programs when they are needed.
func parse(pattern string) (*compiled, error) {
	if len(pattern) > mostText {
		return nil, tooLarge(pattern)
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		what := err.Error()
		if e, ok := err.(*syntax.Error); ok {
			what = strings.TrimPrefix(string(e.Code), "missing closing ")
			if what != string(e.Code) {
				what = "missing " + what
			}
			what += ": " + shorten(e.Expr)
		}
		return nil, status.Invalid("Invalid pattern: %s, error: %s", shorten(pattern), what)
	}
	c := &compiled{pattern: pattern, size: instructions(tree), groups: tree.MaxCap()}
	if c.size > mostInstructions {
		return nil, tooLarge(pattern)
	}
	if c.groups > mostGroups {
		pattern = ungrouped(tree).String()
	}
	lazily := func(pattern string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) }) // it parses
	}
	c.find, c.whole, c.later = lazily(pattern), lazily(`\A(?:`+pattern+`)\z`), lazily(`(?s:.)(`+pattern+`)`)
	return c, nil
}

// instructions is about how many a program for an expression has. The parser has
// bounded how deep expressions are nested.
func instructions(x *syntax.Regexp) int {
	n := 0
	for _, sub := range x.Sub {
		n = min(n+instructions(sub), 1<<30)
	}
	switch x.Op {
	case syntax.OpLiteral:
		return len(x.Rune)
	case syntax.OpCapture:
		return n + 2
	case syntax.OpAlternate:
		return n + len(x.Sub)
	case syntax.OpConcat:
		return n
	case syntax.OpRepeat: // min copies, and as many as may follow
		return min((n+1)*max(x.Min+1, x.Max), 1<<30)
	}
	return n + 1
}

// ungrouped is x without the groups that no replacement can name.
func ungrouped(x *syntax.Regexp) *syntax.Regexp {
	for x.Op == syntax.OpCapture && x.Cap > mostGroups {
		x = x.Sub[0]
	}
	for i, sub := range x.Sub {
		x.Sub[i] = ungrouped(sub)
	}
	return x
}

// A search that may take more than a millisecond reads its string character by
// character, and looks up now and then. Package regexp is faster where it has the
// string, but does not come back before it is done.
func (c *compiled) laborious(s string) bool {
	return len(s) > long || len(s)*c.size > 1<<18
}

// A reader gives a search the characters of s from at on, as long as the step lasts.
type reader struct {
	ctx    *kernel.Context
	credit kernel.Credit
	cost   int // of a character
	s      string
	at     int
}

func (r *reader) ReadRune() (rune, int, error) {
	if r.at >= len(r.s) || !r.credit.Spend(r.ctx, r.cost) {
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRuneInString(r.s[r.at:])
	r.at += n
	return c, n, nil
}

// matches reports whether the expression matches all of s.
func (c *compiled) matches(ctx *kernel.Context, s string) (bool, error) {
	if !c.laborious(s) {
		return c.whole().MatchString(s), nil
	}
	found := c.whole().MatchReader(&reader{ctx: ctx, cost: c.size, s: s})
	return found, ctx.Err()
}

// each calls f for the first match in s, or for all of them, with the places of
// the match and its groups, as [regexp.Regexp.FindAllStringSubmatchIndex] finds
// them. It stops where f fails.
func (c *compiled) each(ctx *kernel.Context, s string, all bool, f func(places []int) error) error {
	if !c.laborious(s) {
		n := 1
		if all {
			n = -1
		}
		for _, places := range c.find().FindAllStringSubmatchIndex(s, n) {
			if err := f(places); err != nil {
				return err
			}
		}
		return nil
	}
	r := reader{ctx: ctx, cost: c.size, s: s}
	for at, last := 0, -1; at <= len(s); {
		places := c.from(&r, at)
		if err := ctx.Err(); err != nil || places == nil {
			return err
		}
		behind := last
		last = places[1]
		if places[1] == at { // an empty match, which may not follow another one directly
			_, n := utf8.DecodeRuneInString(s[at:])
			if at += max(n, 1); places[0] == behind {
				continue
			}
		} else {
			at = places[1]
		}
		if err := f(places); err != nil || !all {
			return err
		}
	}
	return nil
}

// from returns the first match that begins at a place or behind it, nil if there is none.
// The character before the place is read, too: whether a line or a word begins
// depends on it.
func (c *compiled) from(r *reader, at int) []int {
	find, skip := c.find, 0
	if at > 0 {
		_, n := utf8.DecodeLastRuneInString(r.s[:at])
		at -= n
		find, skip = c.later, 2
	}
	r.at = at
	places := find().FindReaderSubmatchIndex(r)
	if places == nil {
		return nil
	}
	places = places[skip:]
	for i := range places {
		if places[i] >= 0 {
			places[i] += at
		}
	}
	return places
}
