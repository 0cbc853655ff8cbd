package selection

import "strings"

// Parse reads a set: the default changed by a list of names, from left to right. A name after
// a minus is removed and one after a plus is added; a first name without a sign replaces the
// default, and each further one is added. Spaces and empty names are ignored. named returns
// what a name stands for, one member or several, and its error ends the reading; removed says
// that a minus is before the name.
func Parse[S ~uint8 | ~uint16 | ~uint32 | ~uint64](text string, standard S, named func(name string, removed bool) (S, error)) (S, error) {
	set, begun := standard, false
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		sign := name[0]
		if sign == '-' || sign == '+' {
			name = name[1:]
		}
		some, err := named(name, sign == '-')
		switch {
		case err != nil:
			return 0, err
		case sign == '-':
			set &^= some
		case sign == '+' || begun:
			set |= some
		default:
			set = some
		}
		begun = true
	}
	return set, nil
}
