package race

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/sharing"
	"github.com/troupe-go/troupe/tensor"
)

// An Object is what operations share: a variable, a queue, a table and the like.
type Object struct {
	Name  string      // as others may name it
	Maker *graph.Node // the operation that puts out its reference or handle
	anew  bool        // each time that the maker acts
	sums  bool        // what is written into a part of it is added up
	heap  bool        // what is taken is what comes first in the order of elements
}

// A reference is an output that may stand for some objects.
type references map[graph.Output][]int32

// isHandle reports whether values of a type stand for an object.
func isHandle(t tensor.DType) bool { return t.IsRef() || t == tensor.Resource }

// objects finds the objects of a program, and which outputs stand for them.
func (p *program) objects() ([]Object, references, error) {
	var objects []Object
	number := map[string]int32{}
	object := func(key string, o Object) int32 {
		i, ok := number[key]
		if !ok {
			i = int32(len(objects))
			number[key] = i
			objects = append(objects, o)
		}
		return i
	}
	maxID := 0
	for _, n := range p.nodes {
		maxID = max(maxID, n.ID()+1)
	}
	shared := sharing.Of(p.nodes, maxID, func(o graph.Output) bool { return p.fed[o] })
	refs := references{}
	add := func(o graph.Output, list []int32) bool {
		had := refs[o]
		for _, i := range list {
			if at, ok := slices.BinarySearch(had, i); !ok {
				had = slices.Insert(had, at, i)
			}
		}
		grew := len(had) > len(refs[o])
		if grew {
			refs[o] = had
		}
		return grew
	}
	// Loops hand objects round until no output stands for another one.
	for changed := true; changed; {
		changed = false
		for _, n := range p.nodes {
			if err := p.watch.Step(); err != nil {
				return nil, nil, err
			}
			for k, t := range n.OutputTypes() {
				out := n.Output(k)
				if !isHandle(t) && !shared.Could(out) || p.fed[out] {
					continue
				}
				input, how := sharing.HandsOn(n, k)
				switch {
				case how != sharing.Fresh && input == sharing.EveryInput:
					for _, from := range n.Inputs() {
						changed = add(out, p.at(refs, from)) || changed
					}
				case how != sharing.Fresh:
					changed = add(out, p.at(refs, n.Inputs()[input])) || changed
				case strings.HasPrefix(n.Type(), "TensorArrayGrad"):
					for _, i := range p.at(refs, n.Inputs()[0]) {
						source, _ := n.Attr("source")
						text, _ := source.(string)
						of := objects[i]
						g := object("gradient\x00"+text+"\x00"+of.Maker.Name(), Object{Name: "the gradient of " + of.Name, Maker: n, anew: of.anew, sums: true})
						changed = add(out, []int32{g}) || changed
					}
				case n.NumInputs() == 0 || !anyHandle(n):
					changed = add(out, []int32{object(key(n))}) || changed
				}
			}
		}
	}
	return objects, refs, nil
}

func anyHandle(n *graph.Node) bool { return slices.ContainsFunc(n.InputTypes(), isHandle) }

// at returns what an input stands for.
func (p *program) at(refs references, o graph.Output) []int32 {
	if p.fed[o] {
		return nil
	}
	return refs[o]
}

// key returns what tells the object that a node makes from others, and the object.
func key(n *graph.Node) (string, Object) {
	text := func(attr string) string {
		v, err := n.Attr(attr)
		if err != nil {
			return ""
		}
		s, _ := v.(string)
		return s
	}
	op := n.Type()
	for _, made := range []string{"TensorArray", "Stack", "TemporaryVariable", "Anonymous"} {
		if strings.HasPrefix(op, made) {
			return "\x00" + n.Name(), Object{Name: n.Name(), Maker: n, anew: true}
		}
	}
	name := text("shared_name")
	if name == "" {
		name = n.Name()
	}
	kind := strings.TrimSuffix(op, "V2")
	return kind + "\x00" + text("container") + "\x00" + name, Object{Name: name, Maker: n, heap: kind == "PriorityQueue"}
}

// An access is a node that does something to an object.
type access struct {
	node int32
	mode Mode
}

// accesses lists who does what to each object, by number of the node.
func (p *program) accesses(objects []Object, refs references) ([][]access, error) {
	list := make([][]access, len(objects))
	add := func(i int, of []int32, m Mode) {
		if m == none {
			return
		}
		for _, o := range of {
			m := m
			if objects[o].sums && m == Write {
				m = Add
			}
			if a := list[o]; len(a) == 0 || a[len(a)-1] != (access{int32(i), m}) {
				list[o] = append(a, access{int32(i), m})
			}
		}
	}
	for i, n := range p.nodes {
		if err := p.watch.Step(); err != nil {
			return nil, err
		}
		in := n.InputTypes()
		for k, from := range n.Inputs() {
			of := p.at(refs, from)
			if len(of) == 0 {
				continue
			}
			// Who forwards what it is given has not looked at it.
			if passes(refs, n, k) && n.Class() != graph.ClassOther || n.Type() == "IdentityN" {
				if p.strict && from.DataType().IsRef() && !in[k].IsRef() && p.kept[i] {
					add(i, of, Read) // unless it is looked at later still
				}
				continue
			}
			if isHandle(in[k]) {
				m := modeOf(n, k)
				if m == Read && !p.kept[i] {
					m = none // nobody asks for what it has read
				}
				add(i, of, m)
			} else if p.kept[i] {
				add(i, of, Read)
			}
		}
		for k, t := range n.OutputTypes() {
			if o := n.Output(k); t != tensor.Resource && p.fetched[o] {
				add(i, refs[o], Fetch)
			}
		}
	}
	return list, nil
}

// passes reports whether what comes to input k is what an output of n stands for.
func passes(refs references, n *graph.Node, k int) bool {
	for o := range n.NumOutputs() {
		if input, how := sharing.HandsOn(n, o); how != sharing.Fresh && (input == sharing.EveryInput || input == k) && len(refs[n.Output(o)]) > 0 {
			return true
		}
	}
	return false
}
