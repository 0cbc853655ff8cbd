package graph

// Functions of package notation, which imports this one, for the tests here.
var (
	addText func(g *Graph, text string) error
	textOf  func(g *Graph, opts textOptions) string
	dotOf   func(g *Graph) (string, error)
)

// textOptions are notation.Options.
type textOptions struct {
	Grouped     bool
	Defaults    bool
	MaxElements int
	Nodes       []*Node
}

// NotationOptions is their name for the external tests.
type NotationOptions = textOptions

// SetNotation sets them.
func SetNotation(add func(*Graph, string) error, format func(*Graph, textOptions) string, dot func(*Graph) (string, error)) {
	addText, textOf, dotOf = add, format, dot
}
