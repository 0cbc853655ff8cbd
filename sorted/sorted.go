// Package sorted sorts lists, and returns what maps have in order.
//
// A generic function is compiled in every package that calls it, and those of package
// slices that sort are a dozen functions each time. [Keys] leaves the sorting to
// [sort.Strings], which is compiled once; [By] and [Stably] leave it to [sort.Slice] and
// [sort.SliceStable].
package sorted

import "sort"

// Keys returns the keys of m in alphabetical order, nil if it has none.
func Keys[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
