package io

import (
	"errors"
	"fmt"
	stdio "io"
	"path/filepath"
	"sort"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ReadFile").
		Input("filename: string").Output("contents: string").
		Traits(registry.Impure).
		Doc(`Reads the contents of a file.

filename: Its path, a scalar.`)
	registry.Define("WriteFile").
		Input("filename: string").Input("contents: string").
		Stateful().
		Doc(`Writes a file, replacing what is there, and makes its directory if that is missing.

filename: Its path, a scalar.
contents: All that it is to hold, a scalar.`)
	registry.Define("MatchingFiles").
		Input("pattern: string").Output("filenames: string").
		Traits(registry.Impure).
		Doc(`Lists the files whose names match patterns.

pattern: One pattern, or a vector of them, in which only the last part of the path may have wildcards.
filenames: The names in order.`)
	registry.Define("ShardedFilename").
		Input("basename: string").Input("shard: int32").Input("num_shards: int32").
		Output("filename: string").
		Doc(`Names one of the files that something is spread over: "base-00002-of-00010".

basename: What the name begins with.
shard: The number of the file, from 0.
num_shards: How many files there are.`)
	registry.Define("ShardedFilespec").
		Input("basename: string").Input("num_shards: int32").Output("filename: string").
		Doc("Makes the pattern of the names of all files that something is spread over: \"base-?????-of-00010\".")

	for op, f := range map[string]kernel.Func{
		"ReadFile":        readFile,
		"WriteFile":       writeFile,
		"MatchingFiles":   matchingFiles,
		"ShardedFilename": shardedFilename,
		"ShardedFilespec": shardedFilespec,
	} {
		kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return f, nil }, op)
	}
}

// text returns the value of a string scalar; what names it in the error.
func text(v *tensor.Value, what string) (string, error) {
	if !v.IsScalar() {
		return "", status.Invalid("%s tensor must be scalar, but had shape: %s", what, tensor.FormatDims(v.Dims()))
	}
	return tensor.Of[string](v)[0], nil
}

func readFile(ctx *kernel.Context, in, out []tensor.Value) error {
	name, err := text(&in[0], "Input filename")
	if err != nil {
		return err
	}
	contents, err := contentsOf(ctx, name)
	if err != nil {
		return status.FromFile(err)
	}
	return ctx.PutText(&out[0], contents)
}

// contentsOf is as much of a file as it says it has.
func contentsOf(ctx *kernel.Context, name string) (string, error) {
	f, err := ctx.Step.Files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	size := info.Size()
	if err := ctx.Reserve(int(size)); err != nil {
		return "", err
	}
	defer ctx.Unreserve(int(size))
	var text strings.Builder
	text.Grow(int(size))
	if _, err := stdio.CopyN(&text, f, size); err != nil && !errors.Is(err, stdio.EOF) {
		return "", err
	}
	return text.String(), nil
}

func writeFile(ctx *kernel.Context, in, _ []tensor.Value) error {
	name, err := text(&in[0], "Input filename")
	if err != nil {
		return err
	}
	contents, err := text(&in[1], "Contents")
	if err != nil {
		return err
	}
	if name != "" {
		if err := ctx.Step.Files.MkdirAll(filepath.Dir(name)); err != nil {
			return status.FromFile(err)
		}
	}
	return ctx.Step.Files.WriteFile(name, func(w stdio.Writer) error {
		_, err := stdio.WriteString(w, contents)
		return err
	})
}

func matchingFiles(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() > 1 {
		return status.Invalid("Input patterns tensor must be scalar or vector, but had shape: %s", tensor.FormatDims(in[0].Dims()))
	}
	var names []string
	for _, pattern := range tensor.Of[string](&in[0]) {
		if err := ctx.Err(); err != nil {
			return err
		}
		found, err := ctx.Step.Files.Glob(strings.ReplaceAll(pattern, "[!", "[^"))
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	sort.Strings(names)
	var err error
	if out[0], err = ctx.Alloc(tensor.String, []int64{int64(len(names))}); err != nil {
		return err
	}
	copy(tensor.Of[string](&out[0]), names)
	return nil
}

func shardedFilename(ctx *kernel.Context, in, out []tensor.Value) error {
	for i, name := range [...]string{"basename", "shard", "num_shards"} {
		if !in[i].IsScalar() {
			return status.Invalid("%s must be a scalar, got shape %s", name, tensor.FormatDims(in[i].Dims()))
		}
	}
	return ctx.PutText(&out[0], fmt.Sprintf("%s-%05d-of-%05d", tensor.At0[string](&in[0]), tensor.At0[int32](&in[1]), tensor.At0[int32](&in[2])))
}

func shardedFilespec(ctx *kernel.Context, in, out []tensor.Value) error {
	for i, name := range [...]string{"basename", "num_shards"} {
		if !in[i].IsScalar() {
			return status.Invalid("%s must be a scalar, got shape %s", name, tensor.FormatDims(in[i].Dims()))
		}
	}
	return ctx.PutText(&out[0], fmt.Sprintf("%s-?????-of-%05d", tensor.At0[string](&in[0]), tensor.At0[int32](&in[1])))
}
