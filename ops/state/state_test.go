package state_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/state"
)

func TestReferences(t *testing.T) { kerneltest.Script(t, "testdata/reference") }

func TestHandles(t *testing.T) { kerneltest.Script(t, "testdata/handle") }
