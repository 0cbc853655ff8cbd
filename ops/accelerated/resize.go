package accelerated

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Resizing of images. Each way of it makes pixels of weighted sums of others, of lines and of
// columns alike. The host works out which and how much, once for lines and once for columns,
// and the device adds them up; a gradient is the same the other way round.

func init() {
	ways := map[string]func(s sampling, from, to int64) []share{"Bilinear": sampling.bilinear, "Bicubic": sampling.bicubic, "Area": sampling.area}
	for name, way := range ways {
		types := []tensor.DType{tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int64}
		resident.Register("Resize"+name, map[string][]tensor.DType{"T": types}, []string{"size"}, func(c *kernel.Construction) (resident.Plan, error) {
			s, err := samplingOf(c)
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					dims, err := resized(in[0].Dims, in[1].Host)
					return []resident.Shape{{Type: tensor.Float, Dims: dims}}, err
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					x, z := in[0].Dims, out[0].Dims
					if out[0].Elements() == 0 { // however large
						return
					}
					s.blend(w, out[0], in[0].Array, forward(way(s, x[1], z[1]), z[1]), forward(way(s, x[2], z[2]), z[2]))
				},
			}, err
		})
		if name == "Area" { // which has no gradient
			continue
		}
		types = floats
		if name == "Bicubic" {
			types = floats[:2]
		}
		resident.Register("Resize"+name+"Grad", map[string][]tensor.DType{"T": types}, nil, func(c *kernel.Construction) (resident.Plan, error) {
			s, err := samplingOf(c)
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					g, x := in[0].Dims, in[1].Dims
					if len(g) != 4 || len(x) != 4 || g[0] != x[0] || g[3] != x[3] || x[1] == 0 || x[2] == 0 {
						return nil, status.Invalid("grads and original_image must have the same batch and channels: %s, %s", tensor.FormatDims(g), tensor.FormatDims(x))
					}
					return []resident.Shape{{Type: in[1].Type, Dims: x}}, nil
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					g, z := in[0].Dims, out[0].Dims
					if in[0].Elements() == 0 || out[0].Elements() == 0 {
						w.Add(code.Fill(out[0], 0))
						return
					}
					s.blend(w, out[0], in[0].Array, back(way(s, z[1], g[1]), z[1]), back(way(s, z[2], g[2]), z[2]))
				},
			}, err
		})
	}
	images := []tensor.DType{tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Uint8, tensor.Int8, tensor.Uint16, tensor.Int16, tensor.Int64}
	resident.Register("ResizeNearestNeighbor", map[string][]tensor.DType{"T": images}, []string{"size"}, func(c *kernel.Construction) (resident.Plan, error) {
		s, err := samplingOf(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, err := resized(in[0].Dims, in[1].Host)
				return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				x, z := in[0].Array, out[0]
				if z.Elements() == 0 {
					return
				}
				tall := w.Scratch(x.Type, z.Dims[0], z.Dims[1], x.Dims[2], x.Dims[3])
				w.Add(code.Gather(tall, x, w.Copy(onHost(s.nearest(x.Dims[1], z.Dims[1]))), 1, 0))
				w.Add(code.Gather(z, tall, w.Copy(onHost(s.nearest(x.Dims[2], z.Dims[2]))), 2, 0))
			},
		}, err
	})
	resident.Register("ResizeNearestNeighborGrad", map[string][]tensor.DType{"T": floats}, []string{"size"}, func(c *kernel.Construction) (resident.Plan, error) {
		s, err := samplingOf(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, err := resized(in[0].Dims, in[1].Host)
				return []resident.Shape{{Type: in[0].Type, Dims: dims}}, err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				if in[0].Elements() == 0 || out[0].Elements() == 0 {
					w.Add(code.Fill(out[0], 0))
					return
				}
				whole := func(from, to int64) table {
					var all []share
					for i, at := range s.nearest(from, to) {
						all = append(all, share{int64(i), at, 1})
					}
					return back(all, from)
				}
				g, z := in[0].Dims, out[0].Dims
				s.blend(w, out[0], in[0].Array, whole(z[1], g[1]), whole(z[2], g[2]))
			},
		}, err
	})
}

// A sampling is where a resized image takes its pixels from.
type sampling struct{ corners, half bool }

func samplingOf(c *kernel.Construction) (sampling, error) {
	s := sampling{c.Bool("align_corners"), c.Bool("half_pixel_centers")}
	if s.corners && s.half {
		return s, c.Errorf("If half_pixel_centers is True, align_corners must be False.")
	}
	return s, nil
}

// resized returns the shape of images of a size in host memory.
func resized(images []int64, size *tensor.Value) ([]int64, error) {
	n := integers(size)
	if len(images) != 4 || size.Rank() != 1 || len(n) != 2 {
		return nil, status.Invalid("images of shape %s and a size of shape %s", tensor.FormatDims(images), tensor.FormatDims(size.Dims()))
	}
	if n[0] <= 0 || n[1] <= 0 {
		return nil, status.Invalid("output dimensions must be positive")
	}
	if images[1] == 0 || images[2] == 0 || images[3] == 0 {
		return nil, status.Invalid("input image must be of non-zero size")
	}
	return []int64{images[0], n[0], n[1], images[3]}, nil
}

// scale returns how many of from pixels go to one of to; a single one is shared out.
func (s sampling) scale(from, to int64) float32 {
	if s.corners && to > 1 && from > 1 {
		return float32(from-1) / float32(to-1)
	}
	return float32(from) / float32(to)
}

// at returns the place in the input of pixel i of the result.
func (s sampling) at(i int64, scale float32) float32 {
	if s.half {
		return (float32(i)+0.5)*scale - 0.5
	}
	return float32(i) * scale
}

// A share is what a pixel of the result has of one of the input.
type share struct {
	to, from int64
	weight   float32
}

func (s sampling) bilinear(from, to int64) (all []share) {
	scale := s.scale(from, to)
	for i := range to {
		x := s.at(i, scale)
		floor := math.Floor(float64(x))
		lerp := x - float32(floor)
		lower, upper := max(int64(floor), 0), min(int64(math.Ceil(float64(x))), from-1)
		all = append(all, share{i, lower, 1 - lerp}, share{i, upper, lerp})
	}
	return all
}

// keys returns the weight, after R. Keys, Cubic Convolution Interpolation for Digital Image
// Processing (1981), of a pixel at a distance of at most 2.
func keys(a, x float64) float32 {
	if x <= 1 {
		return float32(((a+2)*x-(a+3))*x*x + 1)
	}
	return float32(((a*x-5*a)*x+8*a)*x - 4*a)
}

// bicubic rounds places to one of 1024 between two pixels. With half-pixel centers, pixels
// beyond the edge have no weight; else the one at the edge stands for them.
func (s sampling) bicubic(from, to int64) (all []share) {
	scale, a := s.scale(from, to), -0.75
	if s.half {
		a = -0.5
	}
	for i := range to {
		x := s.at(i, scale)
		floor := math.Floor(float64(x))
		step := math.RoundToEven(float64(x-float32(floor)) * 1024)
		four, sum := make([]share, 4), float32(0)
		for k := range four {
			at := int64(floor) + int64(k) - 1
			four[k] = share{i, min(max(at, 0), from-1), keys(a, math.Abs(step/1024-float64(k-1)))}
			if s.half && four[k].from != at {
				four[k].weight = 0
			}
			sum += four[k].weight
		}
		if s.half && math.Abs(float64(sum)) >= 1000*math.SmallestNonzeroFloat32 {
			for k := range four {
				four[k].weight /= sum
			}
		}
		all = append(all, four...)
	}
	return all
}

// area weighs pixels by how much of them is covered.
func (s sampling) area(from, to int64) (all []share) {
	scale := s.scale(from, to)
	for i := range to {
		lo, hi := float32(i)*scale, float32(i+1)*scale
		for k := int64(math.Floor(float64(lo))); k < int64(math.Ceil(float64(hi))); k++ {
			covered := min(float32(k+1), hi) - max(float32(k), lo)
			if float32(k) < lo && float32(k+1) > hi {
				covered = scale
			}
			all = append(all, share{i, min(max(k, 0), from-1), covered / scale})
		}
	}
	return all
}

// nearest returns the pixel of the input that each is.
func (s sampling) nearest(from, to int64) []int64 {
	all, scale := make([]int64, to), s.scale(from, to)
	for i := range all {
		x := float32(i) * scale
		if s.half {
			x = (float32(i) + 0.5) * scale
		}
		at := math.Floor(float64(x))
		if s.corners {
			at = math.Round(float64(x))
		}
		all[i] = max(min(int64(at), from-1), 0)
	}
	return all
}

// A table is shares by what they are put into: those from starts[i] to starts[i+1] into i.
type table struct {
	starts, from []int32
	weights      []float32
}

// forward returns a table of shares that come in order.
func forward(all []share, n int64) (t table) {
	t.starts = make([]int32, n+1)
	for _, s := range all {
		t.from, t.weights = append(t.from, int32(s.from)), append(t.weights, s.weight)
		t.starts[s.to+1] = int32(len(t.from))
	}
	for i := range n {
		t.starts[i+1] = max(t.starts[i+1], t.starts[i])
	}
	return t
}

// back returns a table that puts pixels of the result to those of n that they were made of.
func back(all []share, n int64) table {
	turned := slices.Clone(all)
	for i, s := range turned {
		turned[i] = share{s.from, s.to, s.weight}
	}
	slices.SortStableFunc(turned, func(a, b share) int { return int(a.to - b.to) })
	return forward(turned, n)
}

// blend makes z of x's lines, and then of its columns; both have elements.
func (s sampling) blend(w *resident.Work, z, x code.Array, lines, columns table) {
	between := tensor.Float
	if z.Type == tensor.Double {
		between = z.Type
	}
	tall := w.Scratch(between, z.Dims[0], z.Dims[1], x.Dims[2], x.Dims[3])
	for _, pass := range []struct {
		z, x code.Array
		table
		axis int
	}{{tall, x, lines, 1}, {z, tall, columns, 2}} {
		w.Add(code.Blend(pass.z, pass.x, copied(w, pass.starts), copied(w, pass.from), copied(w, pass.weights), pass.axis))
	}
}

// copied returns a vector of the host's on the device.
func copied[T tensor.Element](w *resident.Work, x []T) code.Array {
	t, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		w.Fail(err)
		return code.Array{}
	}
	v := tensor.ValueOf(t)
	return w.Copy(&v)
}
