package parsing_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"

	_ "github.com/troupe-go/troupe/ops/parsing"
)

func TestDecode(t *testing.T) { kerneltest.Script(t, "testdata/decode") }

func TestExamples(t *testing.T) { kerneltest.Script(t, "testdata/example") }
