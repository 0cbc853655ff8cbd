package status

import (
	"cmp"
	"iter"
	"strings"

	"github.com/troupe-go/troupe/sorted"
)

// Nearest lists the names, at most three, that may have been meant by one that
// does not exist: the nearest by Levenshtein's distance first, without regard to upper
// and lower case, and those that begin like it. Names of paths also count by what
// stands behind their last slash.
func Nearest(name string, names iter.Seq[string]) []string {
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
	allowed := len(want)/4 + 1
	for whole := range names {
		if len(whole) > 4*longest {
			continue
		}
		have := strings.ToLower(whole)
		far := bounded(want, have, allowed)
		if far > allowed || far >= len(want) {
			switch last := have[strings.LastIndexByte(have, '/')+1:]; {
			case len(want) > 2 && strings.HasPrefix(have, want):
				far = len(have) - len(want)
			case len(want) > 2 && len(last) < len(have) && bounded(want, last, allowed) <= allowed:
				far = allowed + bounded(want, last, allowed)
			default:
				continue
			}
		}
		near = append(near, candidate{whole, far})
		if len(near) > 64 { // only the nearest are of interest
			sorted.Stably(near, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
			near = near[:most]
		}
	}
	sorted.Stably(near, func(a, b candidate) int { return cmp.Compare(a.far, b.far) })
	found := make([]string, min(most, len(near)))
	for i := range found {
		found[i] = near[i].name
	}
	return found
}

// DidYouMean is " (did you mean 'a' or 'b'?)", or "" if no name is near.
func DidYouMean(name string, names iter.Seq[string]) string {
	near := Nearest(name, names)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean '" + strings.Join(near, "' or '") + "'?)"
}

// bounded returns the Levenshtein distance of two texts, in bytes, or more than most.
func bounded(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
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
