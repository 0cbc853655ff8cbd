package strings

import (
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("RegexFullMatch").
		Input("input: string").Input("pattern: string").Output("output: bool").
		Doc(`Reports whether whole strings match a regular expression.

pattern: The expression in RE2's syntax, a scalar.`)
	registry.Define("RegexReplace").
		Input("input: string").Input("pattern: string").Input("rewrite: string").Output("output: string").
		Attr("replace_global: bool = true").
		Doc(`Replaces what matches a regular expression.

pattern: The expression in RE2's syntax, a scalar.
rewrite: The replacement, in which \1 to \9 stand for groups and \0 for the match.
replace_global: Whether all matches are replaced, or the first.`)
	registry.Define("StaticRegexFullMatch").
		Input("input: string").Output("output: bool").
		Attr("pattern: string").
		Doc(`Reports whether whole strings match a regular expression.

pattern: The expression, in RE2's syntax.`)
	registry.Define("StaticRegexReplace").
		Input("input: string").Output("output: string").
		Attr("pattern: string").
		Attr("rewrite: string").
		Attr("replace_global: bool = true").
		Doc(`Replaces what matches a regular expression.

pattern: The expression, in RE2's syntax.
rewrite: The replacement, in which \1 to \9 stand for groups and \0 for the match.
replace_global: Whether all matches are replaced, or the first.`)

	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return new(match), nil }, "RegexFullMatch")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return &replace{all: c.Bool("replace_global")}, nil
	}, "RegexReplace")
	kernel.ForAll(newStaticMatch, "StaticRegexFullMatch")
	kernel.ForAll(newStaticReplace, "StaticRegexReplace")

	gradient.None("RegexReplace")
}

type match struct{ expression }

func (k *match) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	pattern, err := scalarText(&in[1], "Pattern must be scalar, but received %s")
	if err != nil {
		return err
	}
	return k.match(ctx, in, out, pattern)
}

func (k *match) match(ctx *kernel.Context, in, out []tensor.Value, pattern string) error {
	c, err := k.compile(ctx, pattern)
	if err != nil {
		return err
	}
	return mapTo(ctx, in, out, func(s string) (bool, error) { return c.matches(ctx, s) })
}

func newStaticMatch(c *kernel.Construction) (kernel.Kernel, error) {
	k, pattern := new(match), c.Str("pattern")
	if _, err := parse(pattern); err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return k.match(ctx, in, out, pattern) }), nil
}

type replace struct {
	expression
	all bool
}

func (k *replace) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	pattern, err := scalarText(&in[1], "Pattern must be scalar, but received %s")
	if err != nil {
		return err
	}
	rewrite, err := scalarText(&in[2], "Rewrite must be scalar, but received %s")
	if err != nil {
		return err
	}
	return k.replace(ctx, in, out, pattern, rewrite)
}

func (k *replace) replace(ctx *kernel.Context, in, out []tensor.Value, pattern, rewrite string) error {
	c, err := k.compile(ctx, pattern)
	if err != nil {
		return err
	}
	// Text and pieces of the rewrite, as they grow.
	if err := ctx.Reserve(len(rewrite) + 60*strings.Count(rewrite, `\`)); err != nil {
		return err
	}
	if parts, valid := parseRewrite(rewrite); valid || k.all {
		size := 0.0
		t := text{make: func(s string) (string, error) {
			s, err := rewritten(ctx, c, s, parts, k.all)
			if size += float64(len(s)); size > maxBytes && err == nil {
				err = room(ctx, size)
			}
			return s, err
		}}
		return t.Run(ctx, in, out)
	}
	out[0] = in[0] // RE2 leaves alone what it cannot rewrite
	return nil
}

func newStaticReplace(c *kernel.Construction) (kernel.Kernel, error) {
	k, pattern, rewrite := &replace{all: c.Bool("replace_global")}, c.Str("pattern"), c.Str("rewrite")
	if _, err := parse(pattern); err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		return k.replace(ctx, in, out, pattern, rewrite)
	}), nil
}

// A piece of a replacement is text and the group that follows it, if any.
type piece struct {
	text  string
	group int // -1: none
}

// parseRewrite reads \0 to \9 as groups and \\ as a backslash. What stands
// before another backslash is all that an invalid rewrite puts in.
func parseRewrite(s string) (pieces []piece, valid bool) {
	var b strings.Builder
	b.Grow(max(strings.IndexByte(s, '\\'), 0))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\':
			b.WriteByte(s[i])
		case i+1 < len(s) && s[i+1] == '\\':
			b.WriteByte('\\')
			i++
		case i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9':
			pieces = append(pieces, piece{b.String(), int(s[i+1] - '0')})
			b.Reset()
			i++
		default:
			return append(pieces, piece{b.String(), -1}), false
		}
	}
	return append(pieces, piece{b.String(), -1}), true
}

// rewritten is s with the first match of an expression, or all of them, replaced. A
// rewrite that asks for a group that the pattern lacks replaces nothing.
func rewritten(ctx *kernel.Context, c *compiled, s string, pieces []piece, all bool) (string, error) {
	for _, p := range pieces {
		if p.group > c.groups {
			return s, nil
		}
	}
	var b strings.Builder
	at, found := 0, false
	put := func(part string) error {
		if n := b.Len() + len(part); n > b.Cap() && n >= long {
			// What grows is there twice, and larger than it has to be.
			if err := room(ctx, 1.5*float64(n)); err != nil {
				return err
			}
		}
		b.WriteString(part)
		return nil
	}
	err := c.each(ctx, s, all, func(m []int) error {
		found = true
		if err := put(s[at:m[0]]); err != nil {
			return err
		}
		for _, p := range pieces {
			if err := put(p.text); err != nil {
				return err
			}
			if p.group >= 0 && m[2*p.group] >= 0 {
				if err := put(s[m[2*p.group]:m[2*p.group+1]]); err != nil {
					return err
				}
			}
		}
		at = m[1]
		return nil
	})
	if err != nil || !found {
		return s, err
	}
	err = put(s[at:])
	return b.String(), err
}
