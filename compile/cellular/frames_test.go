package cellular_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/troupe-go/troupe/compile/cellular"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// arrayNumber is the name of a TensorArray, with a number of its own in each run.
var arrayNumber = regexp.MustCompile(`words_\d+`)

// TestFrames has callers share iterations of a loop that TensorFlow has written with Enter and Exit:
// results are those of single runs, and so are the errors of callers whose words there are not, or
// whose TensorArrays are too short.
func TestFrames(t *testing.T) {
	def, err := os.ReadFile("../../plan/batching/testdata/tensorflow1.pb")
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	at := func(name string) graph.Output { return g.Operation(name).Output(0) }
	callable := func(o *session.SessionOptions) *session.Callable {
		s, err := session.NewSession(g, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		c, err := s.MakeCallable([]graph.Output{at("word"), at("n"), at("h"), at("size")}, []graph.Output{at("state"), at("words_out")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	plain, batched := callable(&session.SessionOptions{}), callable(&session.SessionOptions{BatchLoops: true})
	if text, err := batched.Batching(t.Context()); err != nil || !strings.Contains(text, "loop while/while_context: batched") {
		t.Fatalf("%s%v", text, err)
	}
	const callers = 12
	for round := range 6 { // later ones with constants; of the last two some fail
		ctx := together(t.Context(), callers)
		before, rows := cellular.Counts()
		var wg sync.WaitGroup
		for i := range callers {
			h, err := tensor.FromSlice([]float32{float32(i)/4 - 1, 1, float32(i%3) - 1, .5}, 1, 4)
			if err != nil {
				t.Fatal(err)
			}
			word := int32(i % 5)
			if round == 4 && i%5 == 3 {
				word = 6 + int32(i)
			}
			w, err := tensor.FromSlice([]int32{word}, 1)
			if err != nil {
				t.Fatal(err)
			}
			n := int32(3 + 2*i)
			size := n
			if round == 5 && i%5 == 1 { // an array that is too short
				size = int32(i)
			}
			a := &caller{cancelled: -1, args: []*tensor.Tensor{w, tensor.FromScalar(n), h, tensor.FromScalar(size)}}
			a.want.out, a.want.err = plain.Call(t.Context(), a.args...)
			wg.Go(func() {
				a.got.out, a.got.err = batched.Call(ctx, a.args...)
				want, got := arrayNumber.ReplaceAllString(fmt.Sprint(a.want.err), "words"), arrayNumber.ReplaceAllString(fmt.Sprint(a.got.err), "words")
				if got != want {
					t.Errorf("round %d, caller %d: error\n%s, not\n%s", round, i, got, want)
				} else if a.want.err == nil {
					a.check(t, fmt.Sprintf("round %d, caller %d", round, i))
				}
			})
		}
		wg.Wait()
		after, all := cellular.Counts()
		if iterations := after - before; round < 4 && (iterations == 0 || all-rows <= iterations) {
			t.Errorf("%d iterations of %d rows were run in a batch", iterations, all-rows)
		}
	}
}
