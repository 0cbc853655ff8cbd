package registry

import (
	"cmp"
	"slices"
	"strings"
)

// Nearest lists the operations, at most three, that somebody may have meant by
// a name that is not defined: the nearest first.
func (r *Registry) Nearest(name string) []string {
	const most, longest = 3, 100
	if name == "" || len(name) > longest {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	want := strings.ToLower(name)
	for _, op := range r.Names() {
		have := strings.ToLower(op)
		far := distance(want, have)
		if far <= len(want)/4+1 && far < len(want) || len(want) > 2 && strings.HasPrefix(have, want) {
			near = append(near, candidate{op, far})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	names := make([]string, min(most, len(near)))
	for i := range names {
		names[i] = near[i].name
	}
	return names
}

// distance is the Levenshtein distance of two texts, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
