package audio_test

import (
	"math"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func of[T tensor.Element](t *testing.T, data []T, dims ...int64) *tensor.Tensor {
	x, err := tensor.FromSlice(data, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func attrs(pairs ...any) registry.Attrs {
	var a registry.Attrs
	for i := 0; i < len(pairs); i += 2 {
		v := registry.AttrValue{}
		switch x := pairs[i+1].(type) {
		case int:
			v = registry.IntAttr(int64(x))
		case bool:
			v = registry.BoolAttr(x)
		case float32:
			v = registry.FloatAttr(x)
		}
		a = append(a, registry.NamedAttr{Name: pairs[i].(string), Value: v})
	}
	return a
}

// near checks the only output of an operation.
func near(t *testing.T, op string, a registry.Attrs, want []float32, in ...*tensor.Tensor) {
	t.Helper()
	out, err := kerneltest.Run(op, a, in...)
	if err != nil {
		t.Error(err)
		return
	}
	got, err := tensor.Data[float32](out[0])
	if err != nil || len(got) != len(want) {
		t.Errorf("%s: %v, %v, want %v", op, got, err, want)
		return
	}
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-5*math.Max(1, math.Abs(float64(want[i])))) {
			t.Errorf("%s: element %d is %v, want %v", op, i, got[i], want[i])
		}
	}
}

// The answers are those of TensorFlow 2.21.
func TestAudioSpectrogram(t *testing.T) {
	samples := make([]float32, 20)
	for i := range samples {
		samples[i] = float32(i % 7)
	}
	x := of(t, samples, 10, 2)
	near(t, "AudioSpectrogram", attrs("window_size", 4, "stride", 3), []float32{
		8, 4.4721360206604, 0, 6, 3.605551242828369, 0, 4, 2.8284270763397217, 0,
		6.5, 5.220153331756592, 3.5, 8, 4.4721360206604, 0, 6, 3.605551242828369, 0,
	}, x)
	near(t, "AudioSpectrogram", attrs("window_size", 5, "stride", 3, "magnitude_squared", true), []float32{
		101.6378402709961, 76.75788879394531, 33.13987350463867, 9.521859169006348, 4.64190673828125,
		57.480045318603516, 46.6170768737793, 24.810976028442383, 9.254873275756836, 4.64190673828125,
		39.0625, 27.62141227722168, 15.755127906799316, 16.38884162902832, 17.447755813598633,
		101.6378402709961, 76.75788879394531, 33.13987350463867, 9.521859169006348, 4.64190673828125,
	}, x)
	near(t, "AudioSpectrogram", attrs("window_size", 1<<30, "stride", 1), nil, x)
	near(t, "AudioSpectrogram", attrs("window_size", 2, "stride", 1), nil, of(t, []float32{}, 3, 0))
}

// The answers are those of TensorFlow 2.21.
func TestMfcc(t *testing.T) {
	spectra := make([]float32, 2*129)
	for i := range spectra {
		spectra[i] = float32(math.Abs(math.Sin(float64(i))))
	}
	x := of(t, spectra, 1, 2, 129)
	rate := of(t, []int32{16000})
	near(t, "Mfcc", nil, []float32{
		0.01087775, -3.485984, -0.10306578, -0.5750573, -0.12408422, 0.01106028, 0.28028184, -0.04922192, 0.3146012, 0.35071748, 0.25325957, 0.26725906, 0.26499495,
		-0.2985974, -3.8199887, -0.3754643, -0.5981343, 0.07098503, 0.18521217, 0.25390896, 0.16940509, 0.49893278, 0.27943775, 0.43831822, 0.42763525, 0.4517132,
	}, x, rate)
	five := attrs("filterbank_channel_count", 5, "dct_coefficient_count", 5)
	near(t, "Mfcc", five, []float32{
		6.2076755, -0.95692241, 0.0086430749, -0.099855863, -0.042771716,
		6.1761837, -1.0075449, -0.040005352, -0.12659673, -0.0051437481,
	}, x, rate)
	near(t, "Mfcc", five, []float32{-87.376961, 0, 0, 0, 0, -87.376961, 0, 0, 0, 0}, of(t, make([]float32, 2*129), 1, 2, 129), rate)
	near(t, "Mfcc", append(five, attrs("upper_frequency_limit", float32(8000))...), []float32{
		8.093050003051758, -1.292364239692688, 0.015483320690691471, -0.11272452026605606, 0.0029700410086661577,
		8.076258659362793, -1.3202515840530396, -0.01841001585125923, -0.14814412593841553, -0.0223891269415617,
	}, x, rate)
	near(t, "Mfcc", append(five, attrs("upper_frequency_limit", float32(9000))...), make([]float32, 10), x, rate)
	near(t, "Mfcc", attrs("filterbank_channel_count", 80, "dct_coefficient_count", 3), []float32{
		-4.007771, -9.145274, -4.222509, -4.1523046, -9.3288555, -4.4619455,
	}, x, of(t, []int32{8000}))
}

func TestErrors(t *testing.T) {
	spectrum, rate := of(t, make([]float32, 129), 1, 1, 129), of(t, []int32{16000})
	failed := "INVALID_ARGUMENT: Mfcc initialization failed for channel count 129, sample rate 16000 and filterbank_channel_count 40"
	for _, c := range []struct {
		op    string
		attrs registry.Attrs
		in    []*tensor.Tensor
		want  string
	}{
		{"AudioSpectrogram", attrs("window_size", 1, "stride", 1), []*tensor.Tensor{spectrum}, "INVALID_ARGUMENT: Spectrogram initialization failed for window size 1 and stride 1"},
		{"AudioSpectrogram", attrs("window_size", 2, "stride", 1), []*tensor.Tensor{spectrum}, "INVALID_ARGUMENT: input must be 2-dimensional[1,1,129]"},
		{"Mfcc", nil, []*tensor.Tensor{of(t, make([]float32, 2), 1, 2), rate}, "INVALID_ARGUMENT: spectrogram must be 3-dimensional[1,2]"},
		{"Mfcc", nil, []*tensor.Tensor{spectrum, of(t, []int32{1}, 1)}, "INVALID_ARGUMENT: Input sample_rate should be a scalar tensor, got [1] instead."},
		{"Mfcc", nil, []*tensor.Tensor{spectrum, of(t, []int32{0})}, "INVALID_ARGUMENT: Mfcc initialization failed for channel count 129, sample rate 0 and filterbank_channel_count 40"},
		{"Mfcc", attrs("dct_coefficient_count", 41), []*tensor.Tensor{spectrum, rate}, failed},
		{"Mfcc", attrs("upper_frequency_limit", float32(20)), []*tensor.Tensor{spectrum, rate}, failed},
		{"Mfcc", attrs("lower_frequency_limit", float32(-1)), []*tensor.Tensor{spectrum, rate}, failed},
		{"Mfcc", attrs("filterbank_channel_count", math.MaxInt32), []*tensor.Tensor{spectrum, rate}, "INVALID_ARGUMENT: Mfcc initialization failed for channel count 129, sample rate 16000 and filterbank_channel_count 2147483647"},
	} {
		if _, err := kerneltest.Run(c.op, c.attrs, c.in...); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.op, err, c.want)
		}
	}
}
