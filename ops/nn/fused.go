package nn

import (
	"math"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range []tensor.DType{tensor.Float, tensor.Half, tensor.Bfloat16} {
		kernel.ForType("_FusedMatMul", "T", dt, newFusedProduct("MatMul", "transpose_a", "transpose_b"))
	}
	for _, dt := range []tensor.DType{tensor.Float, tensor.Half, tensor.Double} {
		kernel.ForType("_FusedConv2D", "T", dt, newFusedProduct("Conv2D",
			"strides", "padding", "explicit_paddings", "data_format", "dilations", winogradAttr))
	}
	for _, dt := range []tensor.DType{tensor.Float, tensor.Half, tensor.Bfloat16, tensor.Double} {
		kernel.ForType("_FusedDepthwiseConv2dNative", "T", dt, newFusedProduct("DepthwiseConv2dNative", "strides", "padding", "data_format", "dilations"))
	}
}

// A fusedProduct is the kernel of a product or a convolution followed by operations on
// its result, which are done in the result's memory while parts of it are in the
// first cache. Bits are those that the operations have alone. Of types other than float
// the operations are run apart.
type fusedProduct struct {
	parts []elementwise.Part // the product first
	args  []argument
	chain *elementwise.Chain[float32] // of the product's result, the args, and a factor for each normalization; nil: apart
	norms []normalization
	plan  *finishPlan // nil: it is no vec.Finish
	pool  sync.Pool   // of *finish
}

// An argument is how an operation takes an input of the fused node.
type argument int

const (
	sideInput  argument = iota // added, with broadcasting
	bias                       // a vector of the size of the last dimension
	perChannel                 // the same, of a normalization
)

// A normalization is where among the args those of a FusedBatchNorm begin: scale,
// offset, mean, variance.
type normalization struct {
	at      int
	epsilon float64
}

// fusedOps says of the names in fused_ops which operations they are, unless the
// attribute _ops says it, and how many args they take.
var fusedOps = map[string]struct {
	op   string
	args []argument
}{
	"BiasAdd":        {"BiasAdd", []argument{bias}},
	"Add":            {"AddV2", []argument{sideInput}},
	"Mul":            {"Mul", []argument{sideInput}},
	"Sub":            {"Sub", []argument{sideInput}},
	"FusedBatchNorm": {"FusedBatchNormV3", []argument{perChannel, perChannel, perChannel, perChannel}},
	"Relu":           {op: "Relu"}, "Relu6": {op: "Relu6"}, "Elu": {op: "Elu"}, "Tanh": {op: "Tanh"}, "Sigmoid": {op: "Sigmoid"},
	"LeakyRelu": {op: "LeakyRelu"},
}

// fusedPaddings is the attribute for explicit paddings of a fused depthwise convolution, whose
// padding TensorFlow does not let be EXPLICIT.
const fusedPaddings = "_explicit_paddings"

// newFusedProduct makes the kernels of a fused operation whose first one is op, with
// these attributes. Beside fused_ops, which TensorFlow has, nodes have from the
// rewriting of programs _nodes, the names that the operations had, and _ops, what they
// were: "AddV2", or "AddV2:1" if what comes before was its second operand; and fusedPaddings.
//
//go:noinline
func newFusedProduct(op string, attrs ...string) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		names, ops := c.Strs("_nodes"), c.Strs("_ops")
		fused := c.Strs("fused_ops")
		dt := c.Type("T")
		own := registry.Attrs{}
		for _, name := range append(attrs, "T") {
			if v := c.Attrs.Find(name); v != nil {
				own = own.With(name, *v)
			}
		}
		if v := c.Attrs.Find(fusedPaddings); v != nil && op == "DepthwiseConv2dNative" {
			own = own.With("padding", registry.StringAttr("EXPLICIT")).With("explicit_paddings", *v)
		}
		head, err := partOf(c, op, own, c.Constant&3)
		if err != nil {
			return nil, err
		}
		head.In = []int{0, 1}
		k := &fusedProduct{parts: []elementwise.Part{head}}
		var links []elementwise.Link[float32]
		inputs := len(c.Inputs)
		type factor struct{ link, norm int }
		var factors []factor
		for i, name := range fused {
			f, ok := fusedOps[name]
			if !ok {
				return nil, c.Errorf("fused operation %q is not known", name)
			}
			what, second := f.op, false
			if len(ops) == len(fused)+1 {
				what, second = strings.CutSuffix(ops[i+1], ":1")
			}
			extra := registry.Attrs{{Name: "T", Value: registry.TypeAttr(dt)}}
			switch name {
			case "FusedBatchNorm":
				extra = extra.With("epsilon", registry.FloatAttr(c.Float("epsilon"))).With("is_training", registry.BoolAttr(false))
				if what != "FusedBatchNorm" {
					extra = extra.With("U", registry.TypeAttr(tensor.Float))
				}
			case "LeakyRelu":
				extra = extra.With("alpha", registry.FloatAttr(c.Float("leakyrelu_alpha")))
			}
			p, err := partOf(c, what, extra, 0)
			if err != nil {
				return nil, err
			}
			at := len(k.args)
			k.args = append(k.args, f.args...)
			if 2+len(k.args) > inputs {
				return nil, c.Errorf("%d args are too few for %v", inputs-2, fused)
			}
			p.In = []int{inputs + i}
			for j := range f.args {
				p.In = append(p.In, 2+at+j)
			}
			if second {
				p.In[0], p.In[1] = p.In[1], p.In[0]
			}
			k.parts = append(k.parts, p)
			if dt != tensor.Float {
				continue
			}
			before := 0 // the operand that comes from before: the product, or a link
			if len(links) > 0 {
				before = -len(links)
			}
			switch name {
			case "BiasAdd", "Add", "Mul", "Sub":
				l := elementwise.Link[float32]{Two: plusFloat{}, X: before, Y: 1 + at}
				if name == "Mul" || name == "Sub" {
					own, _, ok := elementwise.Links[float32]([]elementwise.Part{{Kernel: p.Kernel, In: []int{0, 1}}})
					if !ok {
						return nil, c.Errorf("fused operation %q has no loops", name)
					}
					l.Two = own[0].Two
				}
				if second {
					l.X, l.Y = l.Y, l.X
				}
				links = append(links, l)
			case "FusedBatchNorm":
				factors = append(factors, factor{len(links), len(k.norms)})
				k.norms = append(k.norms, normalization{at, float64(c.Float("epsilon"))})
				links = append(links, elementwise.Link[float32]{Four: vec.Normalize, X: before, Rows: [3]int{1 + at + 2, 0, 1 + at + 1}})
			default:
				loop, ok := p.Kernel.(elementwise.Loop[float32, float32])
				if !ok {
					return nil, c.Errorf("fused operation %q has no loop", name)
				}
				links = append(links, elementwise.Link[float32]{One: loop, X: before})
			}
		}
		if 2+len(k.args) != inputs {
			return nil, c.Errorf("%v take %d args, not %d", fused, len(k.args), inputs-2)
		}
		if len(names) == len(k.parts) && len(ops) == len(k.parts) {
			for i := range k.parts {
				k.parts[i].Node = names[i]
			}
		} else { // TensorFlow's: it has one name
			for i := range k.parts {
				k.parts[i].Node, k.parts[i].Op = c.Node, c.Op.Name
			}
		}
		switch {
		case len(fused) == 0:
			return head.Kernel, nil
		case dt != tensor.Float:
			return k, nil
		}
		operands := 1 + len(k.args) + len(k.norms)
		for _, f := range factors {
			links[f.link].Rows[1] = 1 + len(k.args) + f.norm
		}
		for i := range links { // results of links come behind the operands
			for _, x := range []*int{&links[i].X, &links[i].Y} {
				if *x < 0 {
					*x = operands - *x - 1
				}
			}
		}
		k.chain = elementwise.NewChain(operands, links)
		k.plan = planOf(fused, c.Float("leakyrelu_alpha"))
		return k, nil
	}
}

// partOf makes the part for an operation on floats, of whose inputs these are constants.
func partOf(c *kernel.Construction, op string, attrs registry.Attrs, constants uint64) (elementwise.Part, error) {
	p := elementwise.Part{Op: op}
	def, err := registry.Global.Lookup(op)
	if err != nil {
		return p, err
	}
	r, err := registry.Resolve(def, attrs)
	if err != nil {
		return p, err
	}
	p.Kernel, err = kernel.Make("CPU", &kernel.Construction{
		Node: c.Node, Op: def, Attrs: r.Attrs, Inputs: r.Inputs, Outputs: r.Outputs, Device: c.Device, Constant: constants,
	})
	return p, err
}

func (k *fusedProduct) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if k.chain == nil {
		return elementwise.Separately(ctx, k.parts, in, nil, out)
	}
	f, _ := k.pool.Get().(*finish)
	if f == nil {
		f = &finish{fusedProduct: k}
	}
	f.in, f.out = in, &out[0]
	defer f.end(ctx)
	head := &k.parts[0]
	var err error
	if c, ok := head.Kernel.(interface {
		runThen(ctx *kernel.Context, in, out []tensor.Value, then epilogue) error
	}); ok {
		err = c.runThen(ctx, in[:2:2], out[:1], f)
	} else {
		err = head.Kernel.Run(ctx, in[:2:2], out[:1])
	}
	switch {
	case err != nil:
		return head.Blame(err)
	case f.pass != nil || f.finished: // part by part, or before sums were stored
		return nil
	}
	fits, err := f.ready(ctx)
	if err != nil {
		return err
	}
	if !fits {
		done := out[0]
		out[0] = tensor.Value{}
		return elementwise.Separately(ctx, k.parts, in, []tensor.Value{done}, out)
	}
	return k.chain.Compute(ctx, f.operands[0], f.operands)
}

// A finish is the operations behind one product: the epilogue of a convolution.
type finish struct {
	*fusedProduct
	in       []tensor.Value
	out      *tensor.Value // the product
	operands []elementwise.Operand[float32]
	factors  tensor.Value // of normalizations
	pass     *elementwise.Pass[float32]
	finished bool // by a vec.Finish
}

func (f *finish) begin(ctx *kernel.Context) (bool, error) {
	fits, err := f.ready(ctx)
	if fits {
		f.pass = f.chain.Open(f.operands[0], f.operands)
	}
	return fits, err
}

// ready finds the operands, unless they are there; false if they do not fit the result.
func (f *finish) ready(ctx *kernel.Context) (bool, error) {
	o, dims := tensor.Of[float32](f.out), f.out.Dims()
	if len(f.operands) > 0 {
		return true, nil
	}
	if len(o) == 0 || f.out.Shared() {
		return false, nil
	}
	f.operands = append(f.operands, o)
	for i, how := range f.args {
		v := &f.in[2+i]
		x, ok := elementwise.OperandOf[float32](v, dims)
		if !ok || how != sideInput && (v.Rank() != 1 || len(x) != int(dims[len(dims)-1])) {
			f.operands = f.operands[:0]
			return false, nil
		}
		f.operands = append(f.operands, x)
	}
	if len(f.norms) > 0 {
		channels := int(dims[len(dims)-1])
		var err error
		if f.factors, err = ctx.Alloc(tensor.Float, []int64{int64(len(f.norms)), int64(channels)}); err != nil {
			return false, err
		}
		for i, n := range f.norms {
			factor := tensor.Of[float32](&f.factors)[i*channels:][:channels]
			normFactors(factor, f.operands[1+n.at], f.operands[1+n.at+3], n.epsilon)
			f.operands = append(f.operands, factor)
		}
	}
	return true, nil
}

func (f *finish) part(lo, hi int) { f.pass.Part(lo, hi) }

func (f *finish) end(ctx *kernel.Context) {
	if f.pass != nil {
		f.pass.Close()
	}
	if len(f.norms) > 0 {
		ctx.Free(f.factors)
	}
	clear(f.operands)
	f.in, f.out, f.operands, f.factors, f.pass, f.finished = nil, nil, f.operands[:0], tensor.Value{}, nil, false
	f.pool.Put(f)
}

// normFactors is what batch normalization multiplies with.
func normFactors(factor, scale, variance []float32, epsilon float64) {
	for c := range factor {
		factor[c] = float32(float64(scale[c]) / math.Sqrt(float64(variance[c])+epsilon))
	}
}
