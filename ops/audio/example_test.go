package audio_test

import (
	"fmt"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/audio"
)

// The spectrogram of a second of stereo sound, 16,000 samples: 99 windows of 129
// frequencies for each channel.
func Example() {
	s := op.NewScope()
	sound := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(16000, 2)))
	fmt.Println(op.AudioSpectrogram(s, sound, 256, 160).Shape(), s.Err())
	// Output: [2, 99, 129] <nil>
}
