package session

import (
	"testing"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// BenchmarkStep runs steps of a client in this process. `go run ./benchmarks/sessions`
// measures servers of their own.
func BenchmarkStep(b *testing.B) {
	c := start(b, Options{})
	handle := c.create(`
none = NoOp()
x = Placeholder() {dtype=DT_FLOAT, shape=shape []}
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
y = Add(x, one) {T=DT_FLOAT}
large = Placeholder() {dtype=DT_FLOAT, shape=shape [262144]}
same = Identity(large) {T=DT_FLOAT}
taken = NoOp(^same)
`)
	mb, err := tensor.New(tensor.Float, 1<<18)
	if err != nil {
		b.Fatal(err)
	}
	large, err := tensorproto.Marshal(mb)
	if err != nil {
		b.Fatal(err)
	}
	for _, bench := range []struct {
		name string
		step *master.RunStepRequest
	}{
		{"null", &master.RunStepRequest{Target: []string{"none"}}},
		{"feed=4B", &master.RunStepRequest{Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: c.tensor(1)}}, Fetch: []string{"y:0"}}},
		{"feed=1MB", &master.RunStepRequest{Feed: []*master.NamedTensorProto{{Name: "large:0", Tensor: large}}, Target: []string{"taken"}}},
	} {
		bench.step.SessionHandle = handle
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := call[master.RunStepResponse](c, "RunStep", bench.step); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
