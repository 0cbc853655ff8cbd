package data_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/data"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTensorArrays(t *testing.T) { kerneltest.Script(t, "testdata/tensorarray") }

func TestOldTensorArrays(t *testing.T) { kerneltest.Script(t, "testdata/tensorarray_old") }

func TestStacks(t *testing.T) { kerneltest.Script(t, "testdata/stack") }

func TestQueues(t *testing.T) { kerneltest.Script(t, "testdata/queue") }

func TestAccumulators(t *testing.T) { kerneltest.Script(t, "testdata/accumulator") }

func TestSparseAccumulators(t *testing.T) { kerneltest.Script(t, "testdata/accumulator_sparse") }
