package layers

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// The numbers are those of keras.layers.TextVectorization(max_tokens=6,
// output_sequence_length=5) adapted to the same texts.
func TestVocabulary(t *testing.T) {
	texts := []string{"The cat sat on the mat.", "The dog; the cat!", "Sat, on a don't"}
	v := NewVocabulary(slices.Values(texts), 6)
	var words []string
	for i := range int64(v.Len()) {
		words = append(words, v.Word(i))
	}
	if want := []string{"", "[UNK]", "the", "sat", "on", "cat"}; !slices.Equal(words, want) {
		t.Errorf("the words are %q, want %q", words, want)
	}
	got := numbers(v.Texts(5, texts[0], texts[2], ""))
	if want := []float64{2, 5, 3, 4, 2, 3, 4, 1, 1, 0, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("the numbers are %v, want %v", got, want)
	}
	var b bytes.Buffer
	if _, err := v.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	again, err := ReadVocabulary(bytes.NewReader(b.Bytes()), 100)
	if err != nil || again.Number("cat") != 5 || again.Len() != 6 {
		t.Errorf("read again: %v, %v", again, err)
	}
	for _, bad := range []string{"a\n\nb\n", "a\na\n", strings.Repeat("x", 101)} {
		if _, err := ReadVocabulary(strings.NewReader(bad), 100); err == nil {
			t.Errorf("%q is a vocabulary", bad)
		}
	}
	if v.Word(-1) != "[UNK]" || v.Word(6) != "[UNK]" {
		t.Error("a number out of range has a word")
	}
}
