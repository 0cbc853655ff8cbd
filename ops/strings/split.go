package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("StringSplit").
		Input("input: string").Input("delimiter: string").Output("indices: int64").
		Output("values: string").Output("shape: int64").
		Attr("skip_empty: bool = true").
		Doc(`Splits strings at any of some characters, into a sparse matrix.

delimiter: The characters; empty to split into bytes.
skip_empty: Whether empty parts are left out.`)
	registry.Define("StringSplitV2").
		Input("input: string").Input("sep: string").Output("indices: int64").Output("values: string").
		Output("shape: int64").
		Attr("maxsplit: int = -1").
		Doc(`Splits strings at a separator, into a sparse matrix.

sep: The separator; empty for any white space.
maxsplit: The most splits of a string; -1 for any number.`)
	registry.Define("StringNGrams").
		Input("data: string").Input("data_splits: Tsplits").Output("ngrams: string").
		Output("ngrams_splits: Tsplits").
		Attr("separator: string").
		Attr("ngram_widths: list(int) >= 0").
		Attr("left_pad: string").
		Attr("right_pad: string").
		Attr("pad_width: int").
		Attr("preserve_short_sequences: bool").
		Attr("Tsplits: {int32, int64} = DT_INT64").
		Doc(`Joins neighboring strings of each row of a ragged matrix.

data: The strings of all rows.
data_splits: Where rows begin and end.
separator: What stands between joined strings.
ngram_widths: How many strings are joined.
left_pad: What stands before a row.
right_pad: What stands after a row.
pad_width: How much of that; -1 for one less than the width.
preserve_short_sequences: Whether a row shorter than all widths gives itself as a whole.`)
}
