package accelerated

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Reductions of rows by segments. Rows are joined in order, one thread a column, so that
// answers are the same each time. Where the number of segments is the last of their ids, or
// rows are divided by how many there are of a segment, the ids are in the host's memory.

func init() {
	wide := append(slices.Clone(floats), tensor.Int64)
	for op, how := range map[string]string{"Sum": "Add", "Prod": "Mul", "Max": "Max", "Min": "Min"} {
		resident.Register("UnsortedSegment"+op, map[string][]tensor.DType{"T": wide, "Tindices": places}, []string{"num_segments"}, func(*kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					x, ids, n := in[0].Dims, in[1].Dims, integers(in[2].Host)
					if len(n) != 1 || n[0] < 0 || len(in[2].Dims) != 0 {
						return nil, status.Invalid("num_segments should be a scalar that is not negative, not %v", n)
					}
					if len(ids) > len(x) || !slices.Equal(x[:len(ids)], ids) {
						return nil, status.Invalid("data.shape = %s does not start with segment_ids.shape = %s", tensor.FormatDims(x), tensor.FormatDims(ids))
					}
					return []resident.Shape{{Type: in[0].Type, Dims: append(n, x[len(ids):]...)}}, nil
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					wider(w, how, out[0], in[0].Array, func(z, x code.Array) ([]devices.Launch, error) {
						return code.Segments(how, z, x, in[1].Array, none(how, z.Type))
					})
				},
			}, nil
		})
	}
	for op, how := range map[string]string{"Sum": "Add", "Mean": "Add", "Prod": "Mul", "Max": "Max", "Min": "Min"} {
		types := wide
		if op == "Mean" {
			types = floats
		}
		resident.Register("Segment"+op, map[string][]tensor.DType{"T": types}, []string{"segment_ids"}, func(*kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					ids := integers(in[1].Host)
					if len(in[0].Dims) < 1 || len(in[1].Dims) != 1 || in[0].Dims[0] != int64(len(ids)) {
						return nil, status.Invalid("segment_ids should be the same size as dimension 0 of input: %s and %s", tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[0].Dims))
					}
					count, err := rising(ids, -1)
					return []resident.Shape{{Type: in[0].Type, Dims: append([]int64{count}, in[0].Dims[1:]...)}}, err
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					ids := integers(in[1].Host)
					at := w.Copy(onHost(ids))
					switch op {
					case "Max", "Min": // gaps are 0
						w.Add(code.Segments("Update", out[0], in[0].Array, at, 0))
						w.Add(code.Scatter(how, out[0], at, in[0].Array, 1))
					case "Prod":
						wider(w, how, out[0], in[0].Array, func(z, x code.Array) ([]devices.Launch, error) { return code.Segments(how, z, x, at, code.One(z.Type)) })
					default:
						wider(w, how, out[0], in[0].Array, func(z, x code.Array) ([]devices.Launch, error) {
							var s sequence
							s.add(code.Segments(how, z, x, at, 0))
							if op == "Mean" {
								s.add(divided(w, z, z, counted(ids, out[0].Dims[0], weights["Mean"])))
							}
							return s.launches, s.err
						})
					}
				},
			}, nil
		})
	}
	for name, weight := range weights {
		for _, suffix := range []string{"", "WithNumSegments"} {
			host := []string{"segment_ids"}
			if suffix != "" {
				host = append(host, "num_segments")
			}
			resident.Register("SparseSegment"+name+suffix, map[string][]tensor.DType{"T": floats}, host, func(*kernel.Construction) (resident.Plan, error) {
				return resident.Plan{
					Shapes: func(in []resident.Input) ([]resident.Shape, error) {
						given := int64(-1)
						if len(in) > 3 {
							n := integers(in[3].Host)
							if len(n) != 1 || n[0] < 0 || len(in[3].Dims) != 0 {
								return nil, status.Invalid("num_segments should be a scalar that is not negative, not %v", n)
							}
							given = n[0]
						}
						if err := sparse(in); err != nil {
							return nil, err
						}
						count, err := rising(integers(in[2].Host), given)
						return []resident.Shape{{Type: in[0].Type, Dims: append([]int64{count}, in[0].Dims[1:]...)}}, err
					},
					Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
						ids := integers(in[2].Host)
						rows := w.Scratch(in[0].Type, append([]int64{int64(len(ids))}, in[0].Dims[1:]...)...)
						w.Add(code.Gather(rows, in[0].Array, in[1].Array, 0, 0))
						at := w.Copy(onHost(ids))
						wider(w, "Add", out[0], rows, func(z, x code.Array) ([]devices.Launch, error) {
							var s sequence
							s.add(code.Segments("Add", z, x, at, 0))
							if name != "Sum" {
								s.add(divided(w, z, z, counted(ids, z.Dims[0], weight)))
							}
							return s.launches, s.err
						})
					},
				}, nil
			})
		}
		resident.Register("SparseSegment"+name+"Grad", map[string][]tensor.DType{"T": floats}, []string{"segment_ids", "output_dim0"}, func(*kernel.Construction) (resident.Plan, error) {
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					n := integers(in[3].Host)
					if len(n) != 1 || n[0] < 0 || len(in[3].Dims) != 0 {
						return nil, status.Invalid("output_dim0 should be a scalar that is not negative, not %v", n)
					}
					if err := sparse(in); err != nil {
						return nil, err
					}
					return []resident.Shape{{Type: in[0].Type, Dims: append(n, in[0].Dims[1:]...)}}, within(&in[2], in[0].Dims[:1])
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					if out[0].Elements() == 0 {
						return
					}
					ids, x := integers(in[2].Host), in[0].Array
					if name != "Sum" {
						x = w.Scratch(in[0].Type, in[0].Dims...)
						w.Add(divided(w, x, in[0].Array, counted(ids, x.Dims[0], weight)))
					}
					rows := w.Scratch(in[0].Type, append([]int64{int64(len(ids))}, in[0].Dims[1:]...)...)
					w.Add(code.Gather(rows, x, w.Copy(onHost(ids)), 0, 0))
					wider(w, "Add", out[0], rows, func(z, x code.Array) ([]devices.Launch, error) { return code.Segments("Add", z, x, in[1].Array, 0) })
				},
			}, nil
		})
	}
}

// weights is what sums of n rows are divided by.
var weights = map[string]func(n float64) float64{"Sum": nil, "Mean": func(n float64) float64 { return n }, "SqrtN": math.Sqrt}

// none returns the bits of what a segment without rows has.
func none(how string, t tensor.DType) uint64 {
	switch how {
	case "Mul":
		return code.One(t)
	case "Max", "Min":
		return code.Limit(t, how == "Max")
	}
	return 0
}

// wider joins rows of half and bfloat16 as float, and rounds once.
func wider(w *resident.Work, how string, z, x code.Array, join func(z, x code.Array) ([]devices.Launch, error)) {
	if z.Elements() == 0 { // however many segments there are
		return
	}
	if t := x.Type; how != "Add" && how != "Mul" || t != tensor.Half && t != tensor.Bfloat16 {
		w.Add(join(z, x))
		return
	}
	sum, rows := w.Scratch(tensor.Float, z.Dims...), w.Scratch(tensor.Float, x.Dims...)
	w.Add(code.Cast(rows, x))
	w.Add(join(sum, rows))
	w.Add(code.Cast(z, sum))
}

// rising returns how many segments there are, given, or one more than the last of the ids, which
// must not fall.
func rising(ids []int64, given int64) (int64, error) {
	count := given
	if given < 0 {
		if count = 0; len(ids) > 0 {
			count = ids[len(ids)-1] + 1
		}
		if count > math.MaxInt32 {
			return 0, status.Invalid("Last segment id must be < kintmax, got %d limit %d", count-1, math.MaxInt32)
		}
	}
	for i, id := range ids {
		if i > 0 && id < ids[i-1] {
			return 0, status.Invalid("segment ids are not increasing")
		}
		if id < 0 || id >= count {
			return 0, status.Invalid("Segment id %d out of range [0, %d), possibly because 'segment_ids' input is not sorted.", id, count)
		}
	}
	return max(count, 0), nil
}

// sparse reports what is wrong with the shapes of data, indices and segment_ids.
func sparse(in []resident.Input) error {
	switch {
	case len(in[0].Dims) < 1:
		return status.Invalid("Shape must be at least rank 1")
	case len(in[1].Dims) != 1 || !slices.Equal(in[1].Dims, in[2].Dims):
		return status.Invalid("segment_ids and indices should be vectors of the same size: %s and %s", tensor.FormatDims(in[2].Dims), tensor.FormatDims(in[1].Dims))
	}
	return nil
}

// counted returns one over what weight makes of the number of rows of each segment.
func counted(ids []int64, count int64, weight func(float64) float64) []float32 {
	n := make([]float64, count)
	for _, id := range ids {
		n[id]++
	}
	by := make([]float32, count)
	for i := range by {
		by[i] = float32(weight(max(n[i], 1)))
	}
	return by
}

// divided divides each row of x by a number.
func divided(w *resident.Work, z, x code.Array, by []float32) ([]devices.Launch, error) {
	t, err := tensor.FromSlice(by, int64(len(by)))
	if err != nil {
		return nil, err
	}
	v := tensor.ValueOf(t)
	d := w.Copy(&v)
	d.Dims = append([]int64{int64(len(by))}, slices.Repeat([]int64{1}, len(x.Dims)-1)...)
	if d.Type == x.Type {
		return code.Map("RealDiv", 0, z, x, d)
	}
	same := w.Scratch(x.Type, d.Dims...)
	var s sequence
	s.add(code.Cast(same, d))
	s.add(code.Map("RealDiv", 0, z, x, same))
	return s.launches, s.err
}
