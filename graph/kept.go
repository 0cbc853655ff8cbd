package graph

import "weak"

// A keptBody is what a library keeps of a body. Most of a model's functions are used once
// or twice: to infer shapes when the graph is imported, and to compile the program that
// calls them, which copies their nodes. A large body is therefore held only as long as
// someone uses it, and made again, in a tenth of the time that compiling it takes, if it
// is needed later: ResNet-152's five bodies take 22 MB.
type keptBody struct {
	body  *Body              // nil: a large one
	large weak.Pointer[Body] // likewise
	calls inferredCalls      // which all bodies made for the key share
}

// mostKeptNodes is how many nodes a body may have that is kept as long as its library.
const mostKeptNodes = 128

// get returns the body, nil if it must be made again.
func (k *keptBody) get() *Body {
	if k.body != nil {
		return k.body
	}
	return k.large.Value()
}

// put keeps a body.
func (k *keptBody) put(b *Body) {
	b.calls = &k.calls
	if len(b.nodes) > mostKeptNodes {
		k.large = weak.Make(b)
	} else {
		k.body = b
	}
}

// used returns b, which someone is going to use. While a graph is imported the body that was
// used last is held, so that ten thousand calls of a large one do not make it again whenever
// garbage has been collected.
func (l *library) used(b *Body) *Body {
	if l.over != nil {
		l.last.Store(b)
	}
	return b
}
