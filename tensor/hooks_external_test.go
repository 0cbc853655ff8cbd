package tensor_test

import (
	"github.com/troupe-go/troupe/tensor"
	_ "github.com/troupe-go/troupe/tensor/tensorproto" // variants are compared by their serialized form
	"github.com/troupe-go/troupe/tensor/tensortest"
)

func init() { tensor.SomeTensor = tensortest.Some }
