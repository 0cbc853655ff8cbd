package dataset_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// A reading is what TensorFlow read from files; see testdata/files.py.
type reading struct {
	Op      string   `json:"op"`
	Args    []any    `json:"args"`
	Files   [][]byte `json:"files"` // nil: it is missing
	Records [][]byte `json:"records"`
	Error   string   `json:"error"`
}

func TestFiles(t *testing.T) {
	f, err := os.Open("testdata/files.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	n := 0
	for ; lines.Scan(); n++ {
		var r reading
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		r.test(t, n)
		if r.Op == "FixedLengthRecordDatasetV2" && r.Args[4] == "" {
			r.Op, r.Args = "FixedLengthRecordDataset", r.Args[:4]
			r.test(t, n)
		}
		if r.Op == "TFRecordDataset" {
			r.Op, r.Args = "TFRecordDatasetV2", append(r.Args, []int64{})
			r.test(t, n)
		}
	}
	if n < 20 {
		t.Errorf("only %d rows", n)
	}
}

func (r *reading) test(t *testing.T, row int) {
	t.Helper()
	var names []string
	for i, b := range r.Files {
		names = append(names, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		if b == nil {
			continue
		}
		if err := os.WriteFile(names[i], b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := newPipeline(t, nil)
	args := []any{names}
	for _, a := range r.Args {
		if x, ok := a.(float64); ok {
			a = int64(x)
		}
		args = append(args, a)
	}
	var got []string
	next, err := p.over(p.add(r.Op, nil, args...), tensor.String)
	for err == nil {
		var e []*tensor.Tensor
		if e, err = next(t.Context()); err == nil {
			got = append(got, e[0].Value().(string))
		}
	}
	var want []string
	for _, b := range r.Records {
		want = append(want, string(b))
	}
	if !slices.Equal(got, want) || session.CodeOf(err).String() != r.Error {
		t.Errorf("row %d: %s%v: %q, %v; want %q, %s", row, r.Op, r.Args, got, err, want, r.Error)
	}
}

// Records may be read from the middle of a file on, and only files that the
// session permits are read.
func TestRecordsFromAnOffset(t *testing.T) {
	f, err := os.ReadFile("testdata/files.json")
	if err != nil {
		t.Fatal(err)
	}
	var r reading
	for line := range strings.Lines(string(f)) {
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Op == "TFRecordDataset" {
			break
		}
	}
	name := filepath.Join(t.TempDir(), "records")
	if err := os.WriteFile(name, r.Files[0], 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(o *session.SessionOptions) (got []string, err error) {
		p := newPipeline(t, o)
		next, err := p.over(p.add("TFRecordDatasetV2", nil, []string{name}, "", int64(0), []int64{21}), tensor.String)
		for err == nil {
			var e []*tensor.Tensor
			if e, err = next(t.Context()); err == nil {
				got = append(got, e[0].Value().(string))
			}
		}
		return got, err
	}
	if got, err := read(nil); !slices.Equal(got, []string{"", strings.Repeat("third", 9)}) || session.CodeOf(err) != session.OutOfRange {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := read(&session.SessionOptions{Files: &session.FilePolicy{}}); len(got) > 0 || session.CodeOf(err) != session.PermissionDenied {
		t.Errorf("%q, %v", got, err)
	}
}
