package random_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/kernel/kerneltest"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/random"
	_ "github.com/troupe-go/troupe/ops/state"
)

func TestRecorded(t *testing.T) { datadriven.Walk(t, "testdata", kerneltest.Script) }
