package lower

import (
	"strconv"
	"strings"
)

// Names of nodes and frames that come from bodies within bodies grow with the
// depth, and those of a chain of functions with its square. A long one loses its
// middle; what it is used for is told apart by the name made unique.
const (
	maxScope  = 160
	maxMember = 96
)

// under returns the name of something in a scope.
func under(scope, name string) string {
	return shorten(scope, maxScope) + "/" + shorten(name, maxMember)
}

// shorten takes parts out of the middle of a name that is longer than most:
// "a/b/.../z". Parts that are themselves too long are cut.
func shorten(name string, most int) string {
	if len(name) <= most {
		return name
	}
	const gap = "/.../"
	half := (most - len(gap)) / 2
	head, tail := name[:half], name[len(name)-half:]
	if i := strings.LastIndexByte(head, '/'); i > 0 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '/'); i >= 0 && i+1 < len(tail) {
		tail = tail[i+1:]
	}
	return strings.TrimRight(head, ">/") + gap + strings.TrimLeft(tail, ">/")
}

// frame returns a name for a frame that no other frame has.
func (l *lowering) frame(name string) string {
	name = shorten(name, maxScope+maxMember)
	k, taken := l.frames[name]
	if !taken {
		l.frames[name] = 0
		return name
	}
	for {
		k++
		unique := name + "_" + strconv.Itoa(k)
		if _, taken := l.frames[unique]; !taken {
			l.frames[name], l.frames[unique] = k, 0 // the next search begins behind
			return unique
		}
	}
}
