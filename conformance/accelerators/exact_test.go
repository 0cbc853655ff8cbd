package accelerators

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// TensorFlow's CPU kernels round every step of some sums of half and bfloat16, and so do
// Troupe's. Accelerators round once. So where one differs from a recording, the case is
// played with its narrow floats as doubles, and every element must be as near to that as
// the recorded one is, or as the type allows.

// nearer reports how a case's answers on an accelerator are farther from exact ones than
// what was recorded; nil if they are not.
func nearer(ctx context.Context, archive string, c *conformance.Case, cfg conformance.Config) error {
	_, name, _ := strings.Cut(c.Name, "/")
	s, err := conformance.LoadScript(filepath.Join(archive, name))
	if err != nil {
		return err
	}
	g, err := s.Graph()
	if err != nil {
		return err
	}
	wide, err := widen(g)
	if err != nil {
		return err
	}
	exact, err := session.NewSession(wide, nil)
	if err != nil {
		return err
	}
	defer exact.Close()
	return s.Play(ctx, cfg, func(i int, o conformance.Outcome) error {
		st := &s.Steps[i]
		if o.Err != nil || len(st.Targets) > 0 || len(st.Expect) != len(o.Fetched) {
			return s.Judge(i, o)
		}
		feeds := map[session.Output]*tensor.Tensor{}
		for name, file := range st.Feeds {
			t, err := s.Tensor(file)
			if err != nil {
				return err
			}
			if t, err = doubled(t); err != nil {
				return err
			}
			at, err := wide.Find(name)
			if err != nil {
				return err
			}
			feeds[at] = t
		}
		for k, name := range st.Fetches {
			at, err := wide.Find(name)
			if err != nil {
				return err
			}
			right, err := exact.RunContext(ctx, feeds, []session.Output{at}, nil)
			if err != nil {
				return err
			}
			recorded, err := s.Tensor(st.Expect[k])
			if err != nil {
				return err
			}
			if !narrow(recorded.DType()) {
				if err := tensor.Compare(o.Fetched[k], recorded, tensor.Tolerance(s.Tolerance)); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				continue
			}
			if err := asNear(o.Fetched[k], recorded, right[0]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	})
}

// asNear reports whether each element of got is as near to the right one as the recorded one
// is, or nearer than two of its type's last digits.
func asNear(got, recorded, right *tensor.Tensor) error {
	digit := 0x1p-10
	if got.DType() == tensor.Bfloat16 {
		digit = 0x1p-7
	}
	if got.DType() != recorded.DType() || tensor.FormatDims(got.Dims()) != tensor.FormatDims(recorded.Dims()) || tensor.FormatDims(got.Dims()) != tensor.FormatDims(right.Dims()) {
		return errors.New("another type or shape")
	}
	x, y, z := must2(tensor.Data[float64](cast(got, tensor.Double))), must2(tensor.Data[float64](cast(recorded, tensor.Double))), must2(tensor.Data[float64](right))
	for i := range z {
		off, allowed := math.Abs(x[i]-z[i]), max(math.Abs(y[i]-z[i]), digit*math.Abs(z[i]))
		if !(off <= allowed) && x[i] != z[i] && !(math.IsNaN(x[i]) && math.IsNaN(z[i])) {
			return fmt.Errorf("element %d is %g, TensorFlow's %g, right is %g", i, x[i], y[i], z[i])
		}
	}
	return nil
}

func narrow(dt tensor.DType) bool { return dt == tensor.Half || dt == tensor.Bfloat16 }

func doubled(t *tensor.Tensor) (*tensor.Tensor, error) {
	if !narrow(t.DType()) {
		return t, nil
	}
	return cast(t, tensor.Double), nil
}

// widen makes all narrow floats of a graph doubles.
func widen(g *session.Graph) (*session.Graph, error) {
	bytes, err := g.GraphDef(graph.ExportOptions{})
	if err != nil {
		return nil, err
	}
	var def wire.GraphDef
	if err := proto.Unmarshal(bytes, &def); err != nil {
		return nil, err
	}
	change := func(t *wire.DataType) {
		if *t == wire.DataType_DT_HALF || *t == wire.DataType_DT_BFLOAT16 {
			*t = wire.DataType_DT_DOUBLE
		}
	}
	for _, n := range def.Node {
		delete(n.Attr, "_output_shapes")
		for _, a := range n.Attr {
			switch v := a.Value.(type) {
			case *wire.AttrValue_Type:
				change(&v.Type)
			case *wire.AttrValue_List:
				for i := range v.List.Type {
					change(&v.List.Type[i])
				}
			case *wire.AttrValue_Tensor:
				t, err := tensorproto.From(v.Tensor, 0)
				if err != nil {
					return nil, err
				}
				if t, err = doubled(t); err != nil {
					return nil, err
				}
				p, err := tensorproto.Marshal(t)
				if err != nil {
					return nil, err
				}
				v.Tensor.Reset()
				if err := proto.Unmarshal(p, v.Tensor); err != nil {
					return nil, err
				}
			}
		}
	}
	if bytes, err = proto.Marshal(&def); err != nil {
		return nil, err
	}
	wide := session.NewGraph()
	return wide, wide.Import(bytes, "")
}

// A recording whose sums were rounded step by step differs from what rounds once, which is
// the nearer one; an answer that is farther off is told.
func TestAsNear(t *testing.T) {
	right := must1(tensor.FromSlice([]float64{0.2446, 6, math.NaN()}, 3))
	of := func(x ...float32) *tensor.Tensor {
		return cast(must1(tensor.FromSlice(x, int64(len(x)))), tensor.Bfloat16)
	}
	nan := float32(math.NaN())
	recorded := of(0.2617, 6, nan)
	for _, c := range []struct {
		got *tensor.Tensor
		ok  bool
	}{
		{of(0.245, 6, nan), true}, {of(0.2617, 6.03, nan), true}, {of(0.27, 6, nan), false}, {of(0.245, 6.25, nan), false},
		{of(0.245, 6, 1), false}, {of(nan, 6, nan), false}, {of(0.245, 6), false},
	} {
		if err := asNear(c.got, recorded, right); (err == nil) != c.ok {
			t.Errorf("%v: %v", c.got, err)
		}
	}
}
