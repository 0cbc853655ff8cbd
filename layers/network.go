package layers

import (
	"fmt"
	"slices"
	"strings"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

// A Network is a graph of layers under construction. Mistakes do not interrupt the
// construction: the first one is returned by [Network.Compile], all else does nothing
// afterwards.
type Network struct {
	// Prefix precedes the names of variables, as "sequential" does in a Sequential model
	// of Keras. It is set before the first layer is applied.
	Prefix string

	model  *train.Model
	saved  *tf.Session // of the graph that the network extends, or nil
	inputs []*Tensor
	nodes  []*node // in the order of their construction
	names  map[string]int
	labels map[Layer]string // names of the layers applied so far
	frozen map[Layer]bool
	vars   map[string]*train.Variable
}

// A Tensor is a symbolic input or result of a layer. Its first dimension counts the
// examples of a batch.
type Tensor struct {
	net  *Network
	out  tf.Output // for inference
	mask tf.Output // of its steps, if not all count
	at   *node     // nil of inputs and imported tensors
}

// A node is one application of a layer.
type node struct {
	layer Layer
	name  string
	in    []*Tensor
}

// New makes an empty network. Initial values, dropout and shuffling derive from the seed.
func New(seed uint64) *Network { return extend(tf.NewGraph(), seed) }

// Extend makes a network over a graph and a session of it, such as those of a loaded
// SavedModel: [Network.Tensor] returns its tensors, and layers applied to them extend it.
// The variables of the graph keep their values and are not trained, unless
// [Network.Unfreeze] is called. The session remains the caller's to close.
func Extend(g *tf.Graph, session interface{ Base() *tf.Session }, seed uint64) *Network {
	n := extend(g, seed)
	n.saved = session.Base()
	for _, v := range n.model.Adopt() {
		v.Trainable = false
	}
	return n
}

func extend(g *tf.Graph, seed uint64) *Network {
	return &Network{
		model: train.NewModel(g, seed), names: map[string]int{}, labels: map[Layer]string{},
		frozen: map[Layer]bool{}, vars: map[string]*train.Variable{},
	}
}

// Train is the network's variables and graph, for what package train has beyond layers.
func (n *Network) Train() *train.Model { return n.model }

// Err is the first error of the construction.
func (n *Network) Err() error { return n.model.Err() }

// Input adds an input of the given type. dims is the shape of one example; -1 is an
// unknown dimension. The name is that of the placeholder, and of the input in an exported
// model's signature.
func (n *Network) Input(name string, dt tf.DataType, dims ...int64) *Tensor {
	s := n.model.Scope()
	if n.Err() == nil && n.model.Graph().Operation(name) != nil {
		n.fail(name, status.Errorf(status.AlreadyExists, "the graph has a node %q already", name))
	}
	shape := tf.MakeShape(append([]int64{-1}, dims...)...)
	x := s.AddOperation(tf.OpSpec{Type: "Placeholder", Name: name, Attrs: map[string]any{"dtype": dt, "shape": shape}})
	t := &Tensor{net: n}
	if x != nil {
		t.out = x.Output(0)
	}
	n.inputs = append(n.inputs, t)
	return t
}

// Tensor is an output of a graph that the network extends. If it is a placeholder, it is
// an input of the network.
func (n *Network) Tensor(o tf.Output) *Tensor {
	t := &Tensor{net: n, out: o}
	switch {
	case n.Err() != nil:
	case o.Op == nil || o.Op.Graph() != n.model.Graph():
		n.fail("Tensor", status.Invalid("the output is not of the network's graph"))
	case o.Op.Type() == "Placeholder":
		n.inputs = append(n.inputs, t)
	}
	return t
}

// Shape is the shape of the tensor for inference.
func (t *Tensor) Shape() tf.Shape {
	if t.net.Err() != nil || t.out.Op == nil {
		return tf.Shape{}
	}
	return t.out.Shape()
}

// Output is the output in the graph, for inference.
func (t *Tensor) Output() tf.Output { return t.out }

// Then applies layers one after another.
func (t *Tensor) Then(layers ...Layer) *Tensor {
	for _, l := range layers {
		t = t.net.Apply(l, t)
	}
	return t
}

// Apply applies a layer to tensors and returns its first result. A layer applied twice
// shares its variables.
func (n *Network) Apply(l Layer, in ...*Tensor) *Tensor {
	t := &Tensor{net: n}
	if n.Err() != nil {
		return t
	}
	if l == nil || len(in) == 0 {
		n.fail("Apply", status.Invalid("a layer and at least one tensor are needed"))
		return t
	}
	for _, x := range in {
		if x == nil || x.net != n {
			n.fail(n.label(l), status.Invalid("an input of the layer is not a tensor of this network"))
			return t
		}
	}
	at := &node{layer: l, name: n.label(l), in: slices.Clone(in)}
	n.nodes = append(n.nodes, at)
	t.at = at
	out := n.call(at, false, nil, func(t *Tensor) masked { return masked{t.out, t.mask} })
	t.out, t.mask = out.out, out.mask
	return t
}

// A masked is a value with the mask of its steps, if it has one.
type masked struct{ out, mask tf.Output }

// label is the name of a layer: its own, or one made of its kind, as Keras makes it.
func (n *Network) label(l Layer) string {
	if name, ok := n.labels[l]; ok {
		return name
	}
	name, kind := l.Label()
	for name == "" {
		made := kind
		if k := n.names[kind]; k > 0 {
			made = fmt.Sprintf("%s_%d", kind, k)
		}
		n.names[kind]++
		if !n.adopted(made) {
			name = made
		}
	}
	n.labels[l] = name
	return name
}

// adopted reports whether variables of the graph that the network extends are those of a
// layer of that name.
func (n *Network) adopted(name string) bool {
	return n.saved != nil && slices.ContainsFunc(n.model.Variables(), func(v *train.Variable) bool {
		return n.vars[v.Name] != v && below(v.Name, join(n.Prefix, name))
	})
}

// call adds the operations of a node for the values of its inputs.
func (n *Network) call(at *node, training bool, also *effects, value func(*Tensor) masked) masked {
	in, masks := make([]tf.Output, len(at.in)), make([]tf.Output, len(at.in))
	for i, x := range at.in {
		v := value(x)
		in[i], masks[i] = v.out, v.mask
	}
	s := n.model.Scope()
	if training {
		s = s.SubScope("training")
	}
	c := &Context{
		Scope: s.SubScope(at.name).WithUniqueNames(), Training: training && !n.frozen[at.layer],
		net: n, masks: masks, path: join(n.Prefix, at.name), frozen: n.frozen[at.layer], also: also,
	}
	out := at.layer.Call(c, in)
	return masked{out, c.mask}
}

func (n *Network) fail(where string, err error) { n.model.Scope().UpdateErr(where, err) }

// Freeze excludes the variables of layers, which must have been applied, from training.
// Frozen layers compute as in inference: normalizations keep their statistics.
func (n *Network) Freeze(layers ...Layer) {
	for _, l := range layers {
		name, ok := n.labels[l]
		if !ok {
			n.fail("Freeze", status.Invalid("a layer to freeze has not been applied"))
			return
		}
		n.frozen[l] = true
		for path, v := range n.vars {
			if below(path, join(n.Prefix, name)) {
				v.Trainable = false
			}
		}
	}
}

// noVariable returns the error of a name that no variable has.
func (n *Network) noVariable(name string) error {
	vars := n.model.Variables()
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.Name
	}
	hint := ""
	if near := status.Nearest(name, slices.Values(names)); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	} else if len(names) > 0 {
		hint = "; it has " + strings.Join(names[:min(len(names), 4)], ", ")
		if len(names) > 4 {
			hint += ", …"
		}
	}
	return status.Errorf(status.NotFound, "the model has no variable %q%s", name, hint)
}

// Unfreeze includes variables of an extended model in training, by their names.
func (n *Network) Unfreeze(names ...string) {
	for _, name := range names {
		v := n.model.Lookup(name)
		if v == nil {
			n.fail("Unfreeze", n.noVariable(name))
			return
		}
		v.Trainable = true
	}
}

// Variables are the variables of the layers in order of creation.
func (n *Network) Variables() []*train.Variable {
	var list []*train.Variable
	for _, v := range n.model.Variables() {
		if n.vars[v.Name] == v {
			list = append(list, v)
		}
	}
	return list
}

// effects are what a training graph has in addition to its result.
type effects struct {
	also   []train.Assignment
	losses []tf.Output
}

// training builds the network for training, up to some tensors, with the same variables.
func (n *Network) training(to ...*Tensor) ([]masked, *effects) {
	also := &effects{}
	needed := map[*node]bool{}
	var need func(*Tensor)
	need = func(t *Tensor) {
		if t.at != nil && !needed[t.at] {
			needed[t.at] = true
			for _, x := range t.at.in {
				need(x)
			}
		}
	}
	for _, t := range to {
		need(t)
	}
	results := map[*node]masked{}
	value := func(t *Tensor) masked {
		if t.at == nil {
			return masked{t.out, t.mask}
		}
		return results[t.at]
	}
	for _, at := range n.nodes {
		if needed[at] {
			results[at] = n.call(at, true, also, value)
		}
	}
	list := make([]masked, len(to))
	for i, t := range to {
		list[i] = value(t)
	}
	return list, also
}

// below says whether path is prefix or lies below it.
func below(path, prefix string) bool {
	return path == prefix || len(path) > len(prefix) && path[:len(prefix)] == prefix && path[len(prefix)] == '/'
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "/" + b
}
