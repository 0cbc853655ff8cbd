package graph

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
)

// A TensorID names an output of a node that need not be at hand: "name:1".
// Index [Control] names the node as the source of a control edge: "^name".
type TensorID struct {
	Node  string
	Index int
}

// ParseTensorID reads "name", which is output 0, "name:1" or "^name". What
// follows a colon counts as an index only if it is all digits: like TensorFlow,
// "a:x" is the node of that name. An index that no node can have is kept as
// the largest int.
func ParseTensorID(s string) TensorID {
	lo, hi, index := splitTensorID(s)
	return TensorID{s[lo:hi], index}
}

// splitTensorID finds the name within s, and the index.
func splitTensorID[T string | []byte](s T) (lo, hi, index int) {
	i := len(s)
	for i > 0 && s[i-1] >= '0' && s[i-1] <= '9' {
		i--
	}
	if i > 1 && i < len(s) && s[i-1] == ':' {
		for _, c := range []byte(s[i:]) {
			index = min(10*index+int(c-'0'), maxIndex)
		}
		return 0, i - 1, index
	}
	if len(s) > 0 && s[0] == '^' {
		return 1, len(s), Control
	}
	return 0, len(s), 0
}

// maxIndex stands for every index that is larger than any node can have.
const maxIndex = 1<<31 - 1

// String returns the inverse of [ParseTensorID].
func (id TensorID) String() string {
	if id.Index == Control {
		return "^" + id.Node
	}
	return id.Node + ":" + strconv.Itoa(id.Index)
}

// inputString returns how the inputs of a NodeDef write it: output 0 without index.
func (id TensorID) inputString() string {
	if id.Index == 0 {
		return id.Node
	}
	return id.String()
}

// Character sets of node names.
const (
	nameFirst  = 1 << iota // letters, digits, '.'
	nameRest               // also '_', '-', '/'
	nameHidden             // '_' at the very beginning of an internal name
)

var nameChars = func() (set [256]uint8) {
	for c := range set {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.':
			set[c] = nameFirst | nameRest | nameHidden
		case c == '_':
			set[c] = nameRest | nameHidden
		case c == '-', c == '/':
			set[c] = nameRest
		}
	}
	return
}()

// ValidName reports whether s may be the name of a node: letters, digits, and
// "_./-", but not one of "_/-" to begin with; a '>' begins another part of that form.
func ValidName(s string) bool { return validName(s, nameFirst) }

// looseName reports whether s may be the name of a node that is added: any text without
// control characters that cannot be taken for an output, "x:1", or for a control edge,
// "^x".
func looseName(s string) bool {
	odd := func(r rune) bool { return r < ' ' || r == 0x7f || r == ':' || r == utf8.RuneError }
	return validName(s, nameHidden) || s != "" && s[0] != '^' && strings.IndexFunc(s, odd) < 0
}

func validName(s string, first uint8) bool {
	if s == "" || nameChars[s[0]]&first == 0 {
		return false
	}
	for i := 1; i < len(s); i++ {
		if nameChars[s[i]]&nameRest != 0 {
			continue
		}
		if s[i] != '>' || i+1 == len(s) || nameChars[s[i+1]]&nameFirst == 0 {
			return false
		}
	}
	return true
}

// UniqueName is name, or name with the first of the suffixes "_1", "_2", ...
// that makes it differ from every node's name and from every scope that a
// node's name is in.
func (g *Graph) UniqueName(name string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.uniqueName(name, nil)
}

// uniqueName also avoids the names for which taken says so, save name itself.
func (g *Graph) uniqueName(name string, taken func(string) bool) string {
	if !g.nameInUse(name) {
		return name
	}
	// Names in use stay in use, so the search resumes where the last one for
	// this name ended: a thousand nodes of one name take a thousand look-ups.
	i := g.suffixes[name] + 1
	unique := name + "_" + strconv.Itoa(i)
	for g.nameInUse(unique) {
		i++
		unique = name + "_" + strconv.Itoa(i)
	}
	if g.suffixes == nil {
		g.suffixes = map[string]int{}
	}
	g.suffixes[name] = i - 1
	for taken != nil && taken(unique) || g.nameInUse(unique) {
		i++
		unique = name + "_" + strconv.Itoa(i)
	}
	return unique
}

// nameInUse reports whether a node has that name or lies in a scope of that name.
func (g *Graph) nameInUse(name string) bool {
	if _, ok := g.byName[name]; ok {
		return true
	}
	for ; g.scoped < len(g.nodes); g.scoped++ {
		g.addScopes(g.nodes[g.scoped].name)
	}
	_, ok := g.scopes[name]
	return ok
}

// addScopes records every proper prefix of name that ends before a slash.
func (g *Graph) addScopes(name string) {
	for {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return
		}
		name = name[:i]
		if _, ok := g.scopes[name]; ok {
			return
		}
		if g.scopes == nil {
			g.scopes = map[string]struct{}{}
		}
		g.scopes[name] = struct{}{}
	}
}

// checkName returns the error of a node name that is not valid.
func checkName(name string) error {
	if !validName(name, nameHidden) {
		return invalidName(name)
	}
	return nil
}

func invalidName(name string) error {
	return status.Invalid("Node '%s': Node name contains invalid characters", name)
}
