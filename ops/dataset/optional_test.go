package dataset_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/dataset"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func TestOptionals(t *testing.T) { kerneltest.Script(t, "testdata/optionals") }

// An optional that is serialized and read again holds the same.
func TestSerializedOptionals(t *testing.T) {
	three, _ := tensor.FromSlice([]int64{1, 2, 3}, 3)
	for _, inputs := range [][]*tensor.Tensor{{three}, nil} {
		op := "OptionalFromValue"
		if inputs == nil {
			op = "OptionalNone"
		}
		made, err := kerneltest.Run(op, nil, inputs...)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tensorproto.Marshal(made[0])
		if err != nil {
			t.Fatal(err)
		}
		read, err := tensorproto.Unmarshal(b, 0)
		if err != nil {
			t.Fatal(err)
		}
		has, err := kerneltest.Run("OptionalHasValue", nil, read)
		if err != nil || has[0].Value() != (inputs != nil) {
			t.Errorf("%s: has a value: %v, %v", op, has, err)
		}
	}
}

func TestPacked(t *testing.T) { kerneltest.Script(t, "testdata/packed") }

func TestSampling(t *testing.T) { kerneltest.Script(t, "testdata/sampling") }
