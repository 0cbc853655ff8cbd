package audio_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Whatever bytes there are, DecodeWav answers with as many samples and channels as were
// wanted, or an error.
func FuzzDecodeWav(f *testing.F) {
	const silence = "RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00data\x08\x00\x00\x00\x00\x00\x01\x00\xff\x7f\x00\x80"
	for _, wanted := range []int8{-1, 1, 2, 100} {
		f.Add([]byte(silence), wanted, wanted)
	}
	f.Fuzz(func(t *testing.T, data []byte, samples, channels int8) {
		r := kerneltest.Runner{Limit: 32 << 20}
		out, err := r.Run("node", "DecodeWav", registry.Attrs{
			{Name: "desired_channels", Value: registry.IntAttr(int64(channels))}, {Name: "desired_samples", Value: registry.IntAttr(int64(samples))},
		}, tensor.FromScalar(string(data)))
		if err != nil {
			return
		}
		dims := out[0].Dims()
		if samples > 0 && dims[0] != int64(samples) || channels > 0 && dims[1] != int64(channels) {
			t.Errorf("%v of %d samples and %d channels", dims, samples, channels)
		}
		if n := int(dims[0] * dims[1]); samples <= 0 && channels <= 0 && n > len(data) {
			t.Errorf("%d samples of %d bytes", n, len(data))
		}
	})
}
