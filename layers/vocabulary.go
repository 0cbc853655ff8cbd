package layers

import (
	"cmp"
	"io"
	"iter"
	"strings"
	"unicode"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// A Vocabulary gives words numbers as Keras's TextVectorization does: 0 fills texts up, 1
// is an unknown word, and 2 the most frequent one.
type Vocabulary struct {
	words   []string // of number 2 and up
	numbers map[string]int64
}

// Words are the words of a text: lower case, without punctuation.
func Words(text string) iter.Seq[string] {
	clean := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsPunct(r) || unicode.IsSymbol(r)) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.FieldsSeq(clean)
}

// NewVocabulary is of the most frequent words of texts; of equally frequent ones, those
// come first that the alphabet has last, as in Keras. The number of words with those of
// filling and unknown ones is at most size.
func NewVocabulary(texts iter.Seq[string], size int) *Vocabulary {
	counts := map[string]int{}
	for text := range texts {
		for word := range Words(text) {
			counts[word]++
		}
	}
	words := sorted.Keys(counts)
	sorted.By(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(b, a))
	})
	return vocabulary(words[:max(min(len(words), size-2), 0)])
}

func vocabulary(words []string) *Vocabulary {
	v := &Vocabulary{words: words, numbers: map[string]int64{}}
	for i, w := range words {
		v.numbers[w] = int64(i) + 2
	}
	return v
}

// Len is one more than the greatest number.
func (v *Vocabulary) Len() int { return len(v.words) + 2 }

// Word is the word of a number: "" of 0, and "[UNK]" of 1 and of numbers that no word has.
func (v *Vocabulary) Word(n int64) string {
	switch {
	case n == 0:
		return ""
	case n < 2 || n >= int64(v.Len()):
		return "[UNK]"
	}
	return v.words[n-2]
}

// Number is the number of a word; 1 if it is unknown.
func (v *Vocabulary) Number(word string) int64 {
	if n, ok := v.numbers[word]; ok {
		return n
	}
	return 1
}

// Texts are the numbers of the words of texts: int64 [len(texts), length]. Texts are cut
// off or filled up with 0.
func (v *Vocabulary) Texts(length int, texts ...string) *tf.Tensor {
	length = max(length, 0)
	numbers := make([]int64, len(texts)*length)
	for i, text := range texts {
		at := 0
		for word := range Words(text) {
			if at == length {
				break
			}
			numbers[i*length+at] = v.Number(word)
			at++
		}
	}
	t, err := tf.FromSlice(numbers, int64(len(texts)), int64(length))
	if err != nil {
		panic("layers: " + err.Error()) // the tensor has as many elements as its shape
	}
	return t
}

// WriteTo writes the words, a line each, from number 2 on.
func (v *Vocabulary) WriteTo(w io.Writer) (int64, error) {
	text := strings.Join(v.words, "\n")
	if text != "" {
		text += "\n"
	}
	n, err := io.WriteString(w, text)
	return int64(n), err
}

// ReadVocabulary reads what WriteTo wrote. It fails for a line that is empty or appears
// twice, and for more than limit bytes.
func ReadVocabulary(r io.Reader, limit int64) (*Vocabulary, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(b)) > limit:
		return nil, status.Errorf(status.ResourceExhausted, "a vocabulary is longer than the %d bytes that were permitted", limit)
	}
	var words []string
	seen := map[string]bool{}
	for line := range strings.Lines(string(b)) {
		w := strings.TrimSuffix(line, "\n")
		if w == "" || seen[w] {
			return nil, status.Invalid("line %d of a vocabulary, %q, is empty or appears twice", len(words)+1, w)
		}
		seen[w] = true
		words = append(words, w)
	}
	return vocabulary(words), nil
}
