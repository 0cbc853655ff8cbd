package strings_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/strings"
)

// The answers in testdata are those of TensorFlow 2.21.

func TestAsString(t *testing.T) { kerneltest.Script(t, "testdata/asstring") }

func TestText(t *testing.T) { kerneltest.Script(t, "testdata/text") }

func TestJoin(t *testing.T) { kerneltest.Script(t, "testdata/join") }

func TestSplit(t *testing.T) { kerneltest.Script(t, "testdata/split") }

func TestRegex(t *testing.T) { kerneltest.Script(t, "testdata/regex") }

func TestHash(t *testing.T) { kerneltest.Script(t, "testdata/hash") }

func TestUnicode(t *testing.T) { kerneltest.Script(t, "testdata/unicode") }
