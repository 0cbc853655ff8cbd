package sparse_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
)

func TestHostileInputs(t *testing.T) {
	kerneltest.Hostile(t, "testdata/sparse.jsonl.gz")
	kerneltest.Hostile(t, "testdata/arithmetic.jsonl.gz")
	kerneltest.Hostile(t, "testdata/crosses.jsonl.gz")
	kerneltest.Hostile(t, "testdata/serialized.jsonl.gz")
}
