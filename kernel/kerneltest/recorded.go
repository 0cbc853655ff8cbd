package kerneltest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// A record is what TensorFlow answered when it ran one operation. A tensor is
// written as its type and shape in front of its elements: "float[2,2] 1 2 3 4".
type record struct {
	Op    string
	Attrs string // as registry.ParseAttrs reads them
	In    []string
	Out   []string
	Error string // the code and the message, instead of outputs
}

// Recorded runs the operations of a file that testdata/record.py of this
// package wrote, one JSON object a line, perhaps compressed, and compares outputs with TensorFlow's
// within tol, errors by their code.
func Recorded(t *testing.T, path string, tol tensor.Tolerance) {
	t.Helper()
	eachRecord(t, path, func(line int, r *record) {
		if err := r.play(tol); err != nil {
			in := strings.Join(r.In, ", ")
			t.Errorf("%s:%d: %s[%s](%.200s): %.800v", path, line, r.Op, r.Attrs, in, err)
		}
	})
}

// EachRecorded calls f for each operation of a file as [Recorded] reads it that
// TensorFlow answered.
func EachRecorded(t testing.TB, path string, f func(op string, attrs registry.Attrs, in []*tensor.Tensor)) {
	t.Helper()
	eachRecord(t, path, func(line int, r *record) {
		if r.Error != "" {
			return
		}
		attrs, in, err := r.call()
		if err != nil {
			t.Fatalf("%s:%d: %v", path, line, err)
		}
		f(r.Op, attrs, in)
	})
}

// eachRecord calls f for each record of a file, which must have some.
func eachRecord(t testing.TB, path string, f func(line int, r *record)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<24)
	count := 0
	for lines.Scan() {
		count++
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s:%d: %v", path, count, err)
		}
		f(count, &r)
	}
	if err := lines.Err(); err != nil || count == 0 {
		t.Fatalf("%s: %d records, %v", path, count, err)
	}
}

// attrs reads the attributes, by the definition where the text alone does not
// tell their kinds, as that of lists of shapes.
func (r *record) attrs() (registry.Attrs, error) {
	attrs, err := registry.ParseAttrs(r.Attrs)
	if err != nil {
		attrs, err = parseAttrs(r.Op, r.Attrs)
	}
	return attrs, err
}

// call returns the attributes and the inputs.
func (r *record) call() (registry.Attrs, []*tensor.Tensor, error) {
	attrs, err := r.attrs()
	if err != nil {
		return nil, nil, err
	}
	in := make([]*tensor.Tensor, len(r.In))
	for i, text := range r.In {
		if in[i], err = readTensor(text); err != nil {
			return nil, nil, err
		}
	}
	return attrs, in, nil
}

func (r *record) play(tol tensor.Tolerance) error {
	attrs, in, err := r.call()
	if err != nil {
		return err
	}
	out, err := new(Runner).Run(r.Op, r.Op, attrs, in...) // nodes are called as their operation
	if r.Error != "" {
		code, _, _ := strings.Cut(r.Error, ":")
		if err == nil || status.CodeOf(err).String() != code {
			return status.Errorf(status.Internal, "error %v, want %s", err, r.Error)
		}
		return nil
	}
	if err != nil {
		return err
	}
	for i, text := range r.Out {
		want, err := readTensor(text)
		if err != nil {
			return err
		}
		if i >= len(out) {
			return status.Errorf(status.Internal, "%d outputs, want %d", len(out), len(r.Out))
		}
		if err := tensor.Compare(out[i], want, tol); err != nil {
			return status.Errorf(status.Internal, "output %d: %v: got %v, want %v", i, err, out[i], want)
		}
	}
	return nil
}

func readTensor(text string) (*tensor.Tensor, error) {
	head, elements, _ := strings.Cut(text, " ")
	name, dims, _ := strings.Cut(head, "[")
	dt, ok := tensor.ParseDType(name)
	if !ok {
		return nil, status.Invalid("no such type: %q", name)
	}
	var shape []int64
	if err := json.Unmarshal([]byte("["+dims), &shape); err != nil {
		return nil, err
	}
	flat, err := literal.Parse("["+elements+"]", dt)
	if err != nil {
		return nil, err
	}
	return flat.WithShape(shape)
}
