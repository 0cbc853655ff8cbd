package layers

import (
	"math"
	"slices"
	"testing"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// inTraining is what layers make of x at some updates.
func inTraining(t *testing.T, x *tf.Tensor, updates int, layers ...Layer) [][]float32 {
	t.Helper()
	n := New(1)
	in := n.Input("x", x.DType(), x.Dims()[1:]...)
	out := in.Then(layers...)
	m, err := n.Compile(t.Context(), out, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	same, err := m.Predict(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(elements(same), elements(x)) {
		t.Errorf("%T changes what it is given in inference", layers[0])
	}
	result, _ := n.training(out)
	trained := result[0].out
	step := n.model.Lookup("global_step")
	var list [][]float32
	for i := range updates {
		feeds := map[tf.Output]*tf.Tensor{in.Output(): x, step.Value: tensorOf(t, []int64{int64(i)})}
		got, err := m.session.RunContext(t.Context(), feeds, []tf.Output{trained}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[0].Dims(), x.Dims()) {
			t.Fatalf("%T makes shape %v of %v", layers[0], got[0].Dims(), x.Dims())
		}
		list = append(list, slices.Clone(elements(got[0])))
	}
	return list
}

func elements(x *tf.Tensor) []float32 {
	v := tensor.ValueOf(x)
	return tensor.Of[float32](&v)
}

// ramp is a tensor of 1, 2, 3 and so on.
func ramp(t *testing.T, shape ...int64) *tf.Tensor {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = float32(i + 1)
	}
	return tensorOf(t, data, shape...)
}

// Images of a batch are mirrored one by one, in all ways of the mode and in no other.
func TestRandomFlip(t *testing.T) {
	x := ramp(t, 3, 2, 2, 1)
	for _, c := range []struct {
		mode Flip
		ways [][]float32 // of the first image
	}{
		{FlipBoth, [][]float32{{1, 2, 3, 4}, {2, 1, 4, 3}, {3, 4, 1, 2}, {4, 3, 2, 1}}},
		{FlipHorizontal, [][]float32{{1, 2, 3, 4}, {2, 1, 4, 3}}},
		{FlipVertical, [][]float32{{1, 2, 3, 4}, {3, 4, 1, 2}}},
	} {
		seen := make([]int, len(c.ways))
		independent := false
		for _, y := range inTraining(t, x, 50, &RandomFlip{Mode: c.mode}) {
			var ways [3]int
			for image := range 3 {
				part := slices.Clone(y[4*image : 4*image+4])
				for i := range part {
					part[i] -= float32(4 * image)
				}
				ways[image] = slices.IndexFunc(c.ways, func(way []float32) bool { return slices.Equal(way, part) })
				if ways[image] < 0 {
					t.Fatalf("mode %d makes %v of image %d", c.mode, part, image)
				}
				seen[ways[image]]++
			}
			independent = independent || ways[0] != ways[1]
		}
		if slices.Contains(seen, 0) || !independent {
			t.Errorf("mode %d: the ways to mirror are drawn %v times; different ones in a batch: %v", c.mode, seen, independent)
		}
	}
}

// Whole channels are dropped, and what remains is scaled.
func TestSpatialDropout(t *testing.T) {
	for _, c := range []struct {
		layer    Layer
		shape    []int64
		channels int
	}{
		{&SpatialDropout1D{Rate: 0.25}, []int64{2, 3, 4}, 4},
		{&SpatialDropout2D{Rate: 0.25}, []int64{2, 3, 2, 4}, 4},
	} {
		x := ramp(t, c.shape...)
		from := elements(x)
		dropped, all := 0, 0
		for _, y := range inTraining(t, x, 100, c.layer) {
			each := len(y) / 2
			for image := range 2 {
				for channel := range c.channels {
					zero := y[image*each+channel] == 0
					all++
					if zero {
						dropped++
					}
					for i := image*each + channel; i < (image+1)*each; i += c.channels {
						if want := from[i] / 0.75; zero && y[i] != 0 || !zero && math.Abs(float64(y[i]-want)) > 1e-5*float64(want) {
							t.Fatalf("%T makes %v of %v", c.layer, y[i], from[i])
						}
					}
				}
			}
		}
		if share := float64(dropped) / float64(all); math.Abs(share-0.25) > 4*math.Sqrt(0.25*0.75/float64(all)) {
			t.Errorf("%T drops %.2f of the channels", c.layer, share)
		}
	}
}

// Noise has the mean and the deviation that its layer names, within four deviations of what
// so many draws give, and repeats neither in an example nor at the next update.
func TestNoise(t *testing.T) {
	x := tensorOf(t, slices.Repeat([]float32{2}, 500), 5, 100)
	for _, c := range []struct {
		layer     Layer
		deviation float64
	}{
		{&GaussianNoise{StdDev: 0.5}, 0.5},
		{&GaussianDropout{Rate: 0.2}, 2 * 0.5},
	} {
		seen := map[float32]bool{}
		sum, square, n := 0.0, 0.0, 0.0
		for _, y := range inTraining(t, x, 10, c.layer) {
			for _, v := range y {
				d := float64(v) - 2
				sum, square, n = sum+d, square+d*d, n+1
				seen[v] = true
			}
		}
		mean, deviation := sum/n, math.Sqrt(square/n)
		if math.Abs(mean) > 4*c.deviation/math.Sqrt(n) || math.Abs(deviation/c.deviation-1) > 4/math.Sqrt(2*n) {
			t.Errorf("%T adds noise of mean %.3f and deviation %.3f; it should be %v", c.layer, mean, deviation, c.deviation)
		}
		if float64(len(seen)) < 0.99*n {
			t.Errorf("%T draws %d numbers %v times", c.layer, len(seen), n)
		}
	}
}

// Contrast and brightness keep to their ranges, image by image.
func TestRandomColors(t *testing.T) {
	x := tensorOf(t, []float32{100, 110, 120, 130}, 2, 1, 2, 1)
	least, greatest := math.Inf(1), 0.0
	for _, y := range inTraining(t, x, 100, &RandomContrast{Factor: Range{-0.5, 0.5}}) {
		first, second := float64(y[1]-y[0])/10, float64(y[3]-y[2])/10
		if math.Abs(float64(y[0]+y[1])-210) > 1e-3 || first == second {
			t.Fatalf("contrast makes %v of two images", y)
		}
		least, greatest = min(least, first), max(greatest, first)
	}
	if least < 0.5 || least > 0.6 || greatest < 1.4 || greatest > 1.5 {
		t.Errorf("contrast is multiplied by %.2f to %.2f", least, greatest)
	}
	for _, y := range inTraining(t, x, 100, &RandomBrightness{Factor: Range{0.5, 0.9}}) {
		if d := y[0] - 100; d < 0.5*255-1e-3 || d > 155 || y[1] > 255 || y[0] < 255 && math.Abs(float64(y[1]-min(y[0]+10, 255))) > 1e-3 {
			t.Fatalf("brightness makes %v of two images", y)
		}
	}
}
