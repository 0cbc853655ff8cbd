package benchmarks_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tf "github.com/troupe-go/troupe"
)

// A row says how a graph is run; see graphs/graphs.json.
type row struct {
	Feeds map[string]struct {
		DType string
		Shape []int64
		Value float64
	}
	Fetch string
	Work  float64
	Unit  string
}

func load(tb testing.TB) map[string]row {
	text, err := os.ReadFile("graphs/graphs.json")
	if err != nil {
		tb.Fatal(err)
	}
	var rows map[string]row
	if err := json.Unmarshal(text, &rows); err != nil {
		tb.Fatal(err)
	}
	return rows
}

func compressed(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// prepare makes a callable for a graph, and its feeds.
func prepare(tb testing.TB, name string, r row, engine string) (*tf.Session, *tf.Callable, []*tf.Tensor) {
	def, err := os.ReadFile(filepath.Join("graphs", name+".pb"))
	if os.IsNotExist(err) {
		def, err = compressed(filepath.Join("graphs", name+".pb.gz"))
	}
	if err != nil {
		tb.Fatal(err)
	}
	g := tf.NewGraph()
	if err := g.Import(def, ""); err != nil {
		tb.Fatal(err)
	}
	var feeds, fetches []tf.Output
	var targets []*tf.Operation
	var values []*tf.Tensor
	for key, f := range r.Feeds {
		feeds = append(feeds, g.Operation(strings.TrimSuffix(key, ":0")).Output(0))
		n := int64(1)
		for _, d := range f.Shape {
			n *= d
		}
		var t *tf.Tensor
		if f.DType == "int32" {
			t, err = tf.FromSlice(fill[int32](n, f.Value), f.Shape...)
		} else {
			t, err = tf.FromSlice(fill[float32](n, f.Value), f.Shape...)
		}
		if err != nil {
			tb.Fatal(err)
		}
		values = append(values, t)
	}
	if node, index, ok := strings.Cut(r.Fetch, ":"); ok {
		fetches = append(fetches, g.Operation(node).Output(int(index[0]-'0')))
	} else {
		targets = append(targets, g.Operation(r.Fetch))
	}
	s, err := tf.NewSession(g, &tf.SessionOptions{Engine: engine})
	if err != nil {
		tb.Fatal(err)
	}
	c, err := s.MakeCallable(feeds, fetches, targets)
	if err != nil {
		tb.Fatal(err)
	}
	return s, c, values
}

func fill[T int32 | float32](n int64, x float64) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = T(x)
	}
	return all
}

// BenchmarkGraphs runs every graph on the product's engine, played as units and
// by tokens, and on the sequential reference.
func BenchmarkGraphs(b *testing.B) {
	for name, r := range load(b) {
		for _, engine := range []string{"actors", "tokens", "sequential"} {
			b.Run(name+"/"+engine, func(b *testing.B) {
				s, c, values := prepare(b, name, r, engine)
				defer s.Close()
				b.ReportAllocs()
				for b.Loop() {
					if _, err := c.Call(context.Background(), values...); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/r.Work, "ns/"+strings.ReplaceAll(r.Unit, " ", "-"))
			})
		}
	}
}
