package audio

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Mfcc").
		Input("spectrogram: float").Input("sample_rate: int32").Output("output: float").
		Attr("upper_frequency_limit: float = 4000").
		Attr("lower_frequency_limit: float = 20").
		Attr("filterbank_channel_count: int = 40").
		Attr("dct_coefficient_count: int = 13").
		Doc(`Computes mel-frequency cepstral coefficients of spectrograms.

spectrogram: Squared magnitudes, as AudioSpectrogram returns them.
sample_rate: Samples a second of the sound.
output: Channels, windows and coefficients.
upper_frequency_limit: The highest frequency, in Hz.
lower_frequency_limit: The lowest frequency, in Hz.
filterbank_channel_count: How many bands of the mel scale.
dct_coefficient_count: How many coefficients.`)

	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		return &mfcc{
			low: float64(c.Float("lower_frequency_limit")), high: float64(c.Float("upper_frequency_limit")),
			bands: c.Int("filterbank_channel_count"), coefficients: c.Int("dct_coefficient_count"),
		}, nil
	}, "Mfcc")
}

// An mfcc is the kernel of Mfcc.
type mfcc struct {
	low, high    float64 // frequencies, in Hz
	bands        int64
	coefficients int64
}

// Run takes the logarithm of what each band of each spectrum holds, and the
// first coefficients of its cosine transform.
func (k *mfcc) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 3 {
		return status.Invalid("spectrogram must be 3-dimensional%s", tensor.FormatDims(in[0].Dims()))
	}
	if in[1].NumElements() != 1 || in[1].Rank() != 0 {
		return status.Invalid("Input sample_rate should be a scalar tensor, got %s instead.", tensor.FormatDims(in[1].Dims()))
	}
	dims, rate := in[0].Dims(), tensor.At0[int32](&in[1])
	points := dims[2]
	if rate <= 0 || points < 2 || k.bands < 1 || k.bands >= math.MaxInt32-1 || k.low < 0 || !(k.low < k.high) ||
		k.coefficients < 1 || k.coefficients > k.bands {
		return status.Invalid("Mfcc initialization failed for channel count %d, sample rate %d and filterbank_channel_count %d", points, rate, k.bands)
	}
	var err error
	if out[0], err = ctx.AllocZeroed(tensor.Float, []int64{dims[0], dims[1], k.coefficients}); err != nil || out[0].NumElements() == 0 {
		return err
	}
	table, err := ctx.Alloc(tensor.Double, []int64{k.coefficients + 1, k.bands})
	if err != nil {
		return err
	}
	defer ctx.Free(table)
	cosines := tensor.Of[float64](&table)
	energy := cosines[k.coefficients*k.bands:] // of each band
	for i := range k.coefficients {
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range k.bands {
			angle := math.Pi / float64(k.bands) * float64(i) * (float64(j) + 0.5)
			cosines[i*k.bands+j] = math.Sqrt(2/float64(k.bands)) * math.Cos(angle)
		}
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	bins, ok, err := k.spread(ctx, int(points), 0.5*float64(rate)/float64(points-1))
	if err != nil {
		return err
	}
	if !ok {
		return nil // the spectrum ends below the highest frequency: zeros
	}
	x, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&out[0])
	for ; len(x) > 0; x = x[points:] {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(energy)
		for lo, hi := range ctx.Ranges(len(bins), perAsk) {
			for _, b := range bins[lo:hi] {
				magnitude := math.Sqrt(float64(x[b.at]))
				weighted := magnitude * b.weight
				if b.band >= 0 {
					energy[b.band] += weighted
				}
				if b.band+1 < len(energy) {
					energy[b.band+1] += magnitude - weighted
				}
			}
		}
		for i, e := range energy {
			energy[i] = math.Log(math.Max(e, 1e-12))
		}
		for i := range k.coefficients {
			ctx.Ask()
			sum := 0.0
			for j, e := range energy {
				sum += cosines[int(i*k.bands)+j] * e
			}
			o[i] = float32(sum)
		}
		o = o[k.coefficients:]
	}
	return nil
}

// A bin is a frequency of the spectrum. Bands overlap, and each is a triangle:
// the bin counts weight in band, on its falling side, and the rest in the next
// band, on its rising side.
type bin struct {
	at, band int
	weight   float64
}

// spread shares out the frequencies, step apart, between low and high, except
// the lowest bin, among the bands, whose centers are evenly spaced on the mel
// scale. It is false if high is above the last of the points.
func (k *mfcc) spread(ctx *kernel.Context, points int, step float64) ([]bin, bool, error) {
	first, last := int(min(1.5+k.low/step, float64(points))), k.high/step
	if !(last < float64(points)) {
		return nil, false, nil
	}
	low := mel(k.low)
	spacing := (mel(k.high) - low) / float64(k.bands+1)
	center := func(band int) float64 { return low + spacing*float64(band+1) }
	bins, err := kernel.Scratch[bin](ctx, max(int(last)-first+1, 0))
	if err != nil {
		return nil, false, err
	}
	next := 0 // the first band whose center is not below the bin
	for lo, hi := range ctx.Ranges(len(bins), perAsk) {
		for i := lo; i < hi; i++ {
			m := mel(float64(first+i) * step)
			for next < int(k.bands) && center(next) < m {
				next++
			}
			bins[i] = bin{first + i, next - 1, (center(next) - m) / spacing}
		}
	}
	return bins, true, nil
}

// perAsk is how many bins are counted between two looks at the end of the step.
const perAsk = 1 << 13

// mel returns the pitch of a frequency in Hz, as it is heard.
func mel(frequency float64) float64 { return 1127 * math.Log1p(frequency/700) }
