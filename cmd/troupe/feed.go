package main

import (
	"archive/zip"
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
	"github.com/troupe-go/troupe/tensor/npy"
	"github.com/troupe-go/troupe/tensor/tensorfile"
)

// parseFeed reads "NAME=VALUE" or "NAME=@FILE" for a graph.
func parseFeed(g *troupe.Graph, arg string) (troupe.Output, *troupe.Tensor, error) {
	name, value, err := cutFeed(arg)
	if err != nil {
		return troupe.Output{}, nil, err
	}
	o, err := findOutput(g, name)
	if err != nil {
		return o, nil, fmt.Errorf("--feed %s: %w", name, err)
	}
	t, err := parseValue(name, value, o.DataType(), o.Shape())
	if err != nil {
		return o, nil, fmt.Errorf("--feed %s: %w", name, err)
	}
	return o, t, nil
}

// cutFeed returns the two sides of "NAME=VALUE".
func cutFeed(arg string) (name, value string, err error) {
	name, value, ok := strings.Cut(arg, "=")
	if !ok || name == "" {
		return "", "", fmt.Errorf("--feed %s: give NAME=VALUE or NAME=@FILE", arg)
	}
	return name, value, nil
}

// severalFetches returns the end of the error of a name that nobody knows, as it is several.
func severalFetches(name string) string {
	if !strings.Contains(name, ",") {
		return ""
	}
	return ": is --fetch " + strings.ReplaceAll(name, ",", " --fetch ") + " meant?"
}

// spaced reports whether a list of texts has elements without quotes that only blanks
// separate, and others that commas do: the former are likely to be one text.
func spaced(list string) bool {
	if !strings.HasPrefix(strings.TrimSpace(list), "[") {
		return false
	}
	comma, blank := false, false
	quote, before := byte(0), byte('[') // the last character that is no blank
	gap := false
	for i := 0; i < len(list); i++ {
		switch x := list[i]; {
		case quote != 0:
			if x == '\\' && quote != '`' {
				i++
			} else if x == quote {
				quote, before = 0, '"'
			}
		case strings.IndexByte(" \t\r\n", x) >= 0:
			gap = true
		default:
			word := strings.IndexByte("[],\"'`", x) < 0
			if word && gap && strings.IndexByte("[],\"", before) < 0 {
				blank = true
			}
			if x == ',' && before != ']' {
				comma = true
			}
			gap = false
			if strings.IndexByte("\"'`", x) >= 0 && strings.IndexByte("[],\"", before) >= 0 {
				quote = x
				continue
			}
			before = x
		}
	}
	return comma && blank
}

// parseValue reads "VALUE" or "@FILE" as a tensor of a type, for the input of that name.
// A picture is decoded for an input of that shape that takes numbers. Any other file that
// is neither an array nor a message is the bytes of a string, and "[@FILE,@FILE]" is those
// of several. "@FILE.npz" is the array of the input's name in an archive of several, and
// "@FILE.npz/ARRAY" the one named.
func parseValue(name, value string, dt troupe.DataType, want troupe.Shape) (*troupe.Tensor, error) {
	if files, ok := filesOf(value, dt); ok {
		return readTexts(files)
	}
	only := true // the only array of an archive, whatever its name
	if archive, array, ok := strings.Cut(value, ".npz/"); ok && strings.HasPrefix(value, "@") {
		name, value, only = array, archive+".npz", false
	}
	file, ok := strings.CutPrefix(value, "@")
	if !ok {
		if dt == tensor.String && spaced(value) {
			return nil, status.Invalid("some elements of %s are separated by blanks and some by commas: texts with blanks need quotes, which are kept from the shell by others around the value: --feed '%s=[\"one text\",\"another\"]'", value, name)
		}
		t, err := literal.Parse(value, dt)
		if err != nil {
			if _, missing := os.Stat(value); missing == nil {
				return nil, fmt.Errorf("%w (to read the file, write %s=@%s)", err, name, value)
			}
		}
		return t, err
	}
	if isBytes(value, dt) {
		return readText(file)
	}
	if isPicture(file) {
		return readPicture(file, dt, want)
	}
	read := readTensor
	if filepath.Ext(file) == ".npz" {
		read = func(file string, limit int64) (*troupe.Tensor, error) { return readNPZ(file, name, only, limit) }
	}
	t, err := read(file, 0)
	switch filepath.Ext(file) {
	case ".npy", ".npz", ".pb", ".tensor":
	default:
		if status.CodeOf(err) == status.InvalidArgument || status.CodeOf(err) == status.DataLoss {
			return nil, status.Invalid("%s: not an array (.npy, .npz), image or serialized TensorProto, as the input %v %v requires: %w", file, dt, want, err)
		}
	}
	if err == nil && t.DType() == troupe.Double && dt == troupe.Float {
		return nil, status.Invalid("%s is double, NumPy's default, but the input is float: save it with .astype('float32')", file)
	}
	return t, err
}

// readTensor is [tensorfile.Read] under the [ceiling].
func readTensor(name string, limit int64) (*troupe.Tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, status.FromFile(err)
	}
	defer f.Close()
	return tensorfile.ReadFrom(underCeiling{f}, name, limit)
}

// isBytes reports whether a feed is the bytes of a file, as one string.
func isBytes(value string, dt troupe.DataType) bool {
	switch filepath.Ext(value) {
	case ".npy", ".npz", ".pb", ".tensor":
		return false
	}
	return dt == troupe.String && strings.HasPrefix(value, "@")
}

// filesOf returns the names of "[@FILE,@FILE]", where strings are wanted.
func filesOf(value string, dt troupe.DataType) (names []string, ok bool) {
	list, opened := strings.CutPrefix(value, "[")
	list, closed := strings.CutSuffix(list, "]")
	if dt != troupe.String || !opened || !closed {
		return nil, false
	}
	for item := range strings.SplitSeq(list, ",") {
		name, ok := strings.CutPrefix(strings.TrimSpace(item), "@")
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// readTexts is files' bytes as a vector of strings.
func readTexts(names []string) (*troupe.Tensor, error) {
	texts := make([]string, len(names))
	for i, name := range names {
		b, err := readFile(name)
		if err != nil {
			return nil, status.FromFile(err)
		}
		texts[i] = string(b)
	}
	return troupe.NewTensor(texts)
}

// readNPZ reads the array of that name from NumPy's archive of several, or, if only is set, of
// any name if there is one alone.
func readNPZ(file, name string, only bool, limit int64) (*troupe.Tensor, error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return nil, status.FromFile(err)
	}
	defer z.Close()
	var names []string
	for _, f := range z.File {
		array := strings.TrimSuffix(f.Name, ".npy")
		names = append(names, array)
		if array != name && (!only || len(z.File) > 1) {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, status.FromFile(err)
		}
		defer r.Close()
		t, err := npy.Read(bufio.NewReader(underCeiling{r}), limit)
		if err != nil {
			return nil, status.Errorf(status.CodeOf(err), "%s: %s: %w", file, f.Name, err)
		}
		return t, nil
	}
	return nil, status.Errorf(status.NotFound, "%s has no array %s%s; it has %s", file, name, status.DidYouMean(name, slices.Values(names)), some(names, "array"))
}

// readText returns a file's bytes as a scalar string.
func readText(name string) (*troupe.Tensor, error) {
	b, err := readFile(name)
	if err != nil {
		return nil, err
	}
	return troupe.NewTensor(string(b))
}

// findOutput finds "name:1", or "name" for its output 0.
func findOutput(g *troupe.Graph, name string) (troupe.Output, error) {
	return g.Find(name)
}

func findOperation(g *troupe.Graph, name string) (*troupe.Operation, error) {
	o, err := g.FindID(graph.TensorID{Node: name, Index: graph.Control})
	return o.Op, err
}
