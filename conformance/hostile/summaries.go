package hostile

import (
	"strings"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Messages that are to hold more than anybody reads.
func summaries() []Attack {
	return []Attack{
		{"summary_assert", func(b *builder) {
			b.targets = append(b.targets, op.Assert(b.Scope, b.konst(false), repeat(b.zeros(1<<22), 3000), op.AssertSummarize(1<<31)))
		}},
		{"summary_assert_deep", func(b *builder) {
			x := op.Reshape(b.Scope, b.zeros(1<<22), b.konst([]int32{1 << 10, 1, 1, 1, 1 << 6, 1, 1, 1 << 6}))
			b.targets = append(b.targets, op.Assert(b.Scope, b.konst(false), repeat(x, 100), op.AssertSummarize(1<<31)))
		}},
		{"summary_print", func(b *builder) {
			b.fetch(op.Print(b.Scope, b.konst(int32(1)), repeat(b.zeros(1<<22), 3000), op.PrintSummarize(1<<31)))
		}},
		{"summary_format", func(b *builder) {
			b.fetch(op.StringLength(b.Scope, op.StringFormat(b.Scope, repeat(b.zeros(1<<22), 3000), op.StringFormatTemplate(strings.Repeat("%s ", 3000)), op.StringFormatSummarize(-1))))
		}},
		{"summary_text", func(b *builder) {
			b.targets = append(b.targets, op.Assert(b.Scope, b.konst(false), repeat(b.text(1<<20), 3000), op.AssertSummarize(3)))
		}},
		{"summary_assert_in_loop", func(b *builder) {
			big := b.text(1 << 20)
			b.fetch(b.loop(1<<30, []tf.Output{b.konst(int32(0))}, func(s *op.Scope, v []tf.Output) []tf.Output {
				a := op.Assert(s, op.Less(s, v[0], b.konst(int32(1000))), repeat(big, 1000))
				return []tf.Output{op.Add(s.WithControlDependencies(a), v[0], b.konst(int32(1)))}
			})...)
		}},
	}
}
