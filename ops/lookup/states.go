package lookup

import (
	"cmp"
	"sort"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// Holds lists a table's keys with their values, sorted as text.
func (t *Table) Holds() string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	all := make([]string, t.n)
	for i := range all {
		all[i] = elements(&t.keys, i, size(t.keyDims)) + ": " + elements(&t.values, i, size(t.valueDims))
	}
	sort.Strings(all)
	return cmp.Or(strings.Join(all, ", "), "nothing")
}

// elements is part i of a tensor, of n elements, as text.
func elements(v *tensor.Value, i, n int) string {
	texts := make([]string, n)
	for k := range texts {
		if texts[k] = text(v, i*n+k); v.DType() == tensor.String {
			texts[k] = strconv.Quote(texts[k])
		}
	}
	if n == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, " ") + "]"
}
