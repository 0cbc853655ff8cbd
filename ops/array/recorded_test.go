package array_test

import (
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/kernel/kerneltest"
)

func TestRecorded(t *testing.T) { datadriven.Walk(t, "testdata", kerneltest.Script) }
