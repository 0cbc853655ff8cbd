package hostile

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/wire"
)

// A def is a GraphDef being written by hand.
type def struct{ graph wire.GraphDef }

func newDef() *def {
	return &def{wire.GraphDef{Versions: &wire.VersionDef{Producer: 1882}}}
}

func (d *def) bytes() []byte {
	b, err := proto.Marshal(&d.graph)
	if err != nil {
		panic(err) // the message is ours
	}
	return b
}

// node adds a node; attrs are names and values in turn.
func (d *def) node(name, op string, inputs []string, attrs ...any) {
	d.graph.Node = append(d.graph.Node, node(name, op, inputs, attrs...))
}

// constant adds an int32 constant.
func (d *def) constant(name string) {
	d.node(name, "Const", nil, "dtype", wire.DataType_DT_INT32, "value",
		&wire.TensorProto{Dtype: wire.DataType_DT_INT32, TensorShape: &wire.TensorShapeProto{}, IntVal: []int32{3}})
}

func node(name, op string, inputs []string, attrs ...any) *wire.NodeDef {
	n := &wire.NodeDef{Name: name, Op: op, Input: inputs, Attr: map[string]*wire.AttrValue{}}
	for i := 0; i < len(attrs); i += 2 {
		n.Attr[attrs[i].(string)] = attr(attrs[i+1])
	}
	return n
}

func attr(v any) *wire.AttrValue {
	switch v := v.(type) {
	case *wire.AttrValue:
		return v
	case wire.DataType:
		return &wire.AttrValue{Value: &wire.AttrValue_Type{Type: v}}
	case *wire.TensorProto:
		return &wire.AttrValue{Value: &wire.AttrValue_Tensor{Tensor: v}}
	case []wire.DataType:
		return &wire.AttrValue{Value: &wire.AttrValue_List{List: &wire.AttrValue_ListValue{Type: v}}}
	case *wire.NameAttrList:
		return &wire.AttrValue{Value: &wire.AttrValue_Func{Func: v}}
	case string:
		if p, ok := strings.CutPrefix(v, "$"); ok {
			return &wire.AttrValue{Value: &wire.AttrValue_Placeholder{Placeholder: p}}
		}
		return &wire.AttrValue{Value: &wire.AttrValue_S{S: []byte(v)}}
	case bool:
		return &wire.AttrValue{Value: &wire.AttrValue_B{B: v}}
	case int:
		return &wire.AttrValue{Value: &wire.AttrValue_I{I: int64(v)}}
	}
	panic(fmt.Sprintf("an attribute of %T", v))
}

// function adds a function of one int32 that gives one, the output named by ret.
func (d *def) function(name string, params []string, ret string, nodes ...*wire.NodeDef) {
	d.functionOf(wire.DataType_DT_INT32, name, params, ret, nodes)
}

// floats adds a function of one float that gives one, the output named by ret.
func (d *def) floats(name, ret string, nodes ...*wire.NodeDef) {
	d.functionOf(wire.DataType_DT_FLOAT, name, nil, ret, nodes)
}

func (d *def) functionOf(dt wire.DataType, name string, params []string, ret string, nodes []*wire.NodeDef) {
	if d.graph.Library == nil {
		d.graph.Library = &wire.FunctionDefLibrary{}
	}
	sig := &wire.OpDef{
		Name:      name,
		InputArg:  []*wire.OpDef_ArgDef{{Name: "x", Type: dt}},
		OutputArg: []*wire.OpDef_ArgDef{{Name: "z", Type: dt}},
	}
	for _, p := range params {
		name, kind, _ := strings.Cut(p, ":")
		sig.Attr = append(sig.Attr, &wire.OpDef_AttrDef{Name: name, Type: kind})
	}
	d.graph.Library.Function = append(d.graph.Library.Function, &wire.FunctionDef{Signature: sig, NodeDef: nodes, Ret: map[string]string{"z": ret}})
}
