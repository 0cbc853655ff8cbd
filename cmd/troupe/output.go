package main

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/npy"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// outputFlags say where results go and in which form.
type outputFlags struct{ file, format string }

func (f *outputFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVarP(&f.file, "output", "o", "", "write the results to `FILE`, - for standard output; the extension selects the format: .npy (one result), .npz, .json, .txt, .tensor or .pb (TensorProto)")
	fl.StringVar(&f.format, "format", "", "write the results in this `FORMAT` whatever the extension: text, json, npy, npz or proto")
	complete(cmd, "format", formats...)
}

var formats = []string{"text", "json", "npy", "npz", "proto"}

// given reports whether anything was asked for.
func (f *outputFlags) given() bool { return f.file+f.format != "" }

// resolve chooses the format, before anything runs.
func (f *outputFlags) resolve(results int) error {
	if f.format == "" {
		switch ext := filepath.Ext(f.file); ext {
		case ".npy", ".npz", ".json":
			f.format = ext[1:]
		case ".tensor", ".pb":
			f.format = "proto"
		case ".txt", "":
			f.format = "text"
		default:
			return fmt.Errorf("--output %s: the extension selects no format; give --format %s", f.file, strings.Join(formats, ", "))
		}
	}
	switch {
	case !slices.Contains(formats, f.format):
		return fmt.Errorf("unknown --format %s: use %s", f.format, strings.Join(formats, ", "))
	case results != 1 && (f.format == "npy" || f.format == "proto"):
		return fmt.Errorf("this format holds one result, not %s: give --output results.npz or --format json", count(results, "result"))
	}
	return nil
}

// binary reports whether the format is other than text.
func (f *outputFlags) binary() bool {
	return f.format == "npy" || f.format == "npz" || f.format == "proto"
}

// write writes results by their names. A file is replaced as a whole; after an error
// it is unchanged.
func (f *outputFlags) write(stdout io.Writer, names []string, values []*troupe.Tensor) error {
	out := stdout // where text is escaped
	if f.binary() {
		if out = raw(stdout); f.file == "" && isTerminal(out) {
			return fmt.Errorf("--format %s is binary: give --output FILE, or --output - to write it to the terminal", f.format)
		}
	}
	if f.file != "" && f.file != "-" {
		return files.WriteFile(f.file, func(w io.Writer) error { return f.writeTo(w, names, values) })
	}
	return f.writeTo(out, names, values)
}

func (f *outputFlags) writeTo(out io.Writer, names []string, values []*troupe.Tensor) (err error) {
	w := bufio.NewWriter(out)
	switch f.format {
	case "json":
		err = writeJSON(w, names, values)
	case "npy":
		err = npy.Write(w, values[0])
	case "npz":
		err = writeNPZ(w, names, values)
	case "proto":
		var b []byte
		if b, err = tensorproto.Marshal(values[0]); err == nil {
			_, err = w.Write(b)
		}
	default:
		for i, v := range values {
			printValue(w, names[i], "=", v)
		}
	}
	if status.CodeOf(err) == status.Unimplemented { // what NumPy has no type for
		err = fmt.Errorf("%w; use --format json", err)
	}
	return errors.Join(err, w.Flush())
}

// A resultOf is a result as JSON has it.
type resultOf struct {
	DType typeName       `json:"dtype"`
	Shape []int64        `json:"shape"`
	Value *troupe.Tensor `json:"value"`
}

// writeJSON writes an object with a member for each result, in their order.
func writeJSON(w io.Writer, names []string, values []*troupe.Tensor) error {
	sep := "{\n"
	for i, v := range values {
		name, err := json.Marshal(names[i])
		if err != nil {
			return err
		}
		shape := v.Shape()
		if shape == nil {
			shape = []int64{}
		}
		b, err := json.Marshal(resultOf{typeName(v.DType()), shape, v})
		if err != nil {
			return fmt.Errorf("%s: %w", names[i], errors.Unwrap(err))
		}
		fmt.Fprintf(w, "%s  %s: %s", sep, name, b)
		sep = ",\n"
	}
	if len(values) == 0 {
		sep = "{"
	}
	_, err := fmt.Fprintf(w, "%s\n}\n", strings.TrimSuffix(sep, ",\n"))
	return err
}

// writeNPZ writes an archive of arrays that numpy.load opens.
func writeNPZ(w io.Writer, names []string, values []*tensor.Tensor) error {
	z := zip.NewWriter(w)
	for i, v := range values {
		f, err := z.CreateHeader(&zip.FileHeader{Name: names[i] + ".npy", Method: zip.Deflate})
		if err == nil {
			err = npy.Write(f, v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	return z.Close()
}
