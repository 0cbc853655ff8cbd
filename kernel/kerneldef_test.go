package kernel_test

import (
	"encoding/hex"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// TensorFlow 2.21 serialized the wanted list.
func TestMarshalKernelList(t *testing.T) {
	b, err := kernel.MarshalKernelList([]*kernel.Registration{
		{
			Op: "Scale", Device: "GPU", Label: "fast", Priority: 3, HostMemory: []string{"by", "y"},
			Types: map[string][]tensor.DType{"T": {tensor.Float, tensor.Half}, "S": {tensor.Float}},
		},
		{Op: "Bare", Device: "CPU"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "0a340a055363616c6512034750551a0a0a015312050a033201011a0b0a015412060a04" +
		"32020113220262792201792a046661737430030a0b0a04426172651203435055"
	if got := hex.EncodeToString(b); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
