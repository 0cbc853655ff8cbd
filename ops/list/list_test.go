package list_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/math"
)

func TestLists(t *testing.T) { kerneltest.Script(t, "testdata/lists") }
