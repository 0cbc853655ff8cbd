package hostile

import (
	"strings"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// text returns a string of n bytes that the graph holds.
func (b *builder) text(n int) tf.Output { return b.konst(strings.Repeat("a", n)) }

// Strings that grow until something stops them.
func texts() []Attack {
	double := func(s *op.Scope, x tf.Output) tf.Output { return op.StringJoin(s, []tf.Output{x, x}) }
	grow := func(name string, n int, step func(b *builder, s *op.Scope, x tf.Output) tf.Output) Attack {
		return Attack{Name: "text_" + name, Build: func(b *builder) {
			b.fetch(b.loop(10_000, []tf.Output{b.text(n)}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{step(b, s, v[0])}
			})...)
		}}
	}
	// beside keeps what a step makes in a vector that grows too.
	pile := func(name string, step func(b *builder, s *op.Scope, x tf.Output) tf.Output) Attack {
		return Attack{Name: "pile_" + name, Build: func(b *builder) {
			axis := b.konst(int32(0))
			big, one := b.text(1<<20), b.konst([]int32{1})
			b.fetch(op.Shape(b.Scope, b.loop(100_000, []tf.Output{b.konst([]string{"x"})}, func(s *op.Scope, v []tf.Output) []tf.Output {
				return []tf.Output{op.ConcatV2(s, []tf.Output{v[0], op.Reshape(s, step(b, s, big), one)}, axis)}
			})[0]))
		}}
	}
	steps := map[string]func(b *builder, s *op.Scope, x tf.Output) tf.Output{
		"join":      func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return double(s, x) },
		"add":       func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return op.Add(s, x, x) },
		"base64":    func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return op.EncodeBase64(s, x) },
		"serialize": func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return op.SerializeTensor(s, x) },
		"lower":     func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return op.StringLower(s, double(s, x)) },
		"upper":     func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return op.StringUpper(s, x) },
		"format": func(_ *builder, s *op.Scope, x tf.Output) tf.Output {
			return op.StringFormat(s, []tf.Output{x, x}, op.StringFormatTemplate("%s %s"), op.StringFormatPlaceholder("%s"))
		},
		"transcode": func(_ *builder, s *op.Scope, x tf.Output) tf.Output {
			return op.UnicodeTranscode(s, x, "UTF-8", "UTF-32-BE")
		},
		"regex_replace": func(b *builder, s *op.Scope, x tf.Output) tf.Output {
			return op.RegexReplace(s, x, b.konst("."), b.konst("bb"))
		},
		"strip": func(_ *builder, s *op.Scope, x tf.Output) tf.Output { return op.StringStrip(s, double(s, x)) },
		"reduce_join": func(b *builder, s *op.Scope, x tf.Output) tf.Output {
			return op.ReduceJoin(s, op.Pack(s, []tf.Output{x, x, x}), b.konst([]int32{0}))
		},
		"escape": func(b *builder, s *op.Scope, x tf.Output) tf.Output {
			return op.StaticRegexReplace(s, x, "a", "aa")
		},
	}
	all := []Attack{
		{"text_split", func(b *builder) {
			long := op.StringJoin(b.Scope, repeat(b.konst(strings.Repeat("a ", 1<<20)), 40))
			_, values, _ := op.StringSplitV2(b.Scope, op.Reshape(b.Scope, long, b.konst([]int32{1})), b.konst(" "))
			b.fetch(op.Shape(b.Scope, values))
		}},
		{"text_split_v1", func(b *builder) {
			long := op.StringJoin(b.Scope, repeat(b.konst(strings.Repeat("a ", 1<<20)), 40))
			_, values, _ := op.StringSplit(b.Scope, op.Reshape(b.Scope, long, b.konst([]int32{1})), b.konst(""))
			b.fetch(op.Shape(b.Scope, values))
		}},
		{"text_decode_csv", func(b *builder) {
			long := op.StringJoin(b.Scope, repeat(b.konst(strings.Repeat("ab", 1<<20)), 100))
			out := op.DecodeCSV(b.Scope, long, []tf.Output{b.konst([]string{""})})
			b.fetch(op.StringLength(b.Scope, out[0]))
		}},
		{"text_unicode_decode", func(b *builder) {
			long := op.StringJoin(b.Scope, repeat(b.konst(strings.Repeat("ab", 1<<20)), 50))
			_, chars := op.UnicodeDecode(b.Scope, long, "UTF-8")
			b.fetch(op.Shape(b.Scope, chars))
		}},
		{"text_ngrams", func(b *builder) {
			data := op.Fill(b.Scope, b.konst([]int32{10_000}), b.text(1000))
			out, _ := op.StringNGrams(b.SubScope("n"), data, b.konst([]int64{0, 10_000}), "", []int64{9_000}, "", "", 0, false)
			b.fetch(op.Shape(b.Scope, out))
		}},
		{"text_fill_lower", func(b *builder) {
			b.fetch(op.Shape(b.Scope, op.StringLower(b.Scope, op.Fill(b.Scope, b.konst([]int32{5_000}), b.text(1<<20)))))
		}},
		{"text_as_string_wide", func(b *builder) {
			b.fetch(op.Shape(b.Scope, op.AsString(b.Scope, b.zeros(1000), op.AsStringWidth(1<<30))))
		}},
		{"text_regex_counts", func(b *builder) {
			b.fetch(op.RegexFullMatch(b.Scope, b.text(1<<20), b.konst(strings.Repeat("(a{0,500}){0,2}", 100)+"b")))
		}},
	}
	for name, step := range steps {
		all = append(all, grow(name, 1<<20, step), pile(name, step))
	}
	return sorted(all)
}

func repeat(x tf.Output, n int) []tf.Output {
	all := make([]tf.Output, n)
	for i := range all {
		all[i] = x
	}
	return all
}
