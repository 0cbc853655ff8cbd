package audio

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("AudioSpectrogram").
		Input("input: float").Output("spectrogram: float").
		Attr("window_size: int").
		Attr("stride: int").
		Attr("magnitude_squared: bool = false").
		Doc(`Computes the spectrogram of sounds: the magnitudes of short overlapping Fourier transforms.

input: Samples by channels.
spectrogram: Channels, windows and frequencies.
window_size: Samples of a window.
stride: Samples from one window to the next.
magnitude_squared: Whether magnitudes are squared.`)
	registry.Define("Mfcc").
		Input("spectrogram: float").Input("sample_rate: int32").Output("output: float").
		Attr("upper_frequency_limit: float = 4000").
		Attr("lower_frequency_limit: float = 20").
		Attr("filterbank_channel_count: int = 40").
		Attr("dct_coefficient_count: int = 13").
		Doc(`Computes mel-frequency cepstral coefficients of spectrograms.

spectrogram: Squared magnitudes, as AudioSpectrogram gives them.
sample_rate: Samples a second of the sound.
output: Channels, windows and coefficients.
upper_frequency_limit: The highest frequency, in Hz.
lower_frequency_limit: The lowest frequency, in Hz.
filterbank_channel_count: How many bands of the mel scale.
dct_coefficient_count: How many coefficients.`)
}
