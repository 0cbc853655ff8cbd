package lookup_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"

	_ "github.com/troupe-go/troupe/ops/lookup"
)

func TestTables(t *testing.T) { kerneltest.Script(t, "testdata/scripts/tables") }
