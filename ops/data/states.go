package data

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sorted"
)

// Holds lists a staging area's elements in order.
func (s *staging) Holds() (text string) {
	s.change(func() {
		var all []string
		for _, e := range s.elements {
			all = append(all, resource.ElementText(e.values))
		}
		text = cmp.Or(strings.Join(all, " "), "nothing")
	})
	return text
}

// Holds lists a staging area's elements by key.
func (k *keyed) Holds() (text string) {
	k.change(func() {
		var all []string
		for _, key := range slices.Sorted(maps.Keys(k.elements)) {
			all = append(all, fmt.Sprintf("%d: %s", key, resource.ElementText(k.elements[key].components)))
		}
		text = cmp.Or(strings.Join(all, " "), "nothing")
	})
	return text
}

// Holds lists a barrier's elements: those that are ready in order, then the others by key.
func (b *barrier) Holds() (text string) {
	b.change(func() {
		var all []string
		for _, e := range b.ready {
			all = append(all, fmt.Sprintf("%q: %s", e.key, resource.ElementText(e.components)))
		}
		for _, key := range sorted.Keys(b.begun) {
			all = append(all, fmt.Sprintf("%q: %s", key, resource.ElementText(b.begun[key].components)))
		}
		if b.closed {
			all = append(all, "closed")
		}
		text = cmp.Or(strings.Join(all, " "), "nothing")
	})
	return text
}
