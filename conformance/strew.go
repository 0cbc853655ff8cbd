package conformance

import (
	"cmp"
	"math/rand/v2"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/wire"
)

// A Strewing puts the nodes of a case at random on several devices, which must not
// change any answer.
type Strewing struct {
	Devices int // 0: nodes are where the case puts them
	Seed    uint64
	Type    string // of the devices; "" is CPU
	// Job says that the devices are those of tasks of that job, CPU 0 of each.
	Job string
}

func (s Strewing) kind() string { return cmp.Or(s.Type, "CPU") }

// device returns a random one, sometimes none.
func (s Strewing) device(rng *rand.Rand) string {
	if d := rng.IntN(s.Devices*4 + 1); d > 0 {
		if s.Job != "" {
			return "/job:" + s.Job + "/task:" + strconv.Itoa((d-1)%s.Devices)
		}
		return "/device:" + s.kind() + ":" + strconv.Itoa((d-1)%s.Devices)
	}
	return ""
}

// functions strews the bodies of a graph's functions.
func (s Strewing) functions(def []byte) ([]byte, error) {
	var g wire.GraphDef
	if s.Devices == 0 || proto.Unmarshal(def, &g) != nil || len(g.GetLibrary().GetFunction()) == 0 {
		return def, nil // what is no graph is told when it is imported
	}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	for _, f := range g.Library.Function {
		for _, n := range f.NodeDef {
			n.Device = s.device(rng)
		}
	}
	return proto.Marshal(&g)
}

// graph strews a graph's nodes. The outputs given are those of the graph that it answers.
func (s Strewing) graph(g *session.Graph, outs []session.Output) (*session.Graph, []session.Output, error) {
	if s.Devices == 0 {
		return g, outs, nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, 2))
	e := g.Edit()
	e.Lax()
	for _, n := range e.Nodes() {
		if err := e.SetDevice(n, s.device(rng)); err != nil {
			return nil, nil, err
		}
	}
	moved := make([]session.Output, len(outs))
	for i, o := range outs {
		if o.Op != nil {
			moved[i] = graph.Output{Op: e.Copy(o.Op), Index: o.Index}
		}
	}
	g, err := e.Done()
	return g, moved, err
}
