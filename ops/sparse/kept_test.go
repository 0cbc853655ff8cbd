package sparse_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
)

func TestKept(t *testing.T) { kerneltest.Script(t, "testdata/kept") }
