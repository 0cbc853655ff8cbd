package train

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/status"
)

// A state is what the file "checkpoint" of a directory says, a CheckpointState as
// text:
//
//	model_checkpoint_path: "model-20"
//	all_model_checkpoint_paths: "model-10"
//	all_model_checkpoint_paths: "model-20"
//
// Paths are relative to the directory, or absolute. Other fields are not kept.
//
// The file names every checkpoint of which there may be a part: a new one before its
// first file has its name, an old one until its last file is gone. So what a process
// that was killed has left is found by it.
type state struct {
	last string   // the newest that was completed; "" until the first has been
	all  []string // from the oldest to the newest
}

const (
	stateFile = "checkpoint"
	lastField = "model_checkpoint_path"
	allField  = "all_model_checkpoint_paths"
)

func readState(dir string) (state, error) {
	var s state
	name := filepath.Join(dir, stateFile)
	text, err := os.ReadFile(name)
	if err != nil {
		return s, status.FromFile(err)
	}
	for line := range strings.Lines(string(text)) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if field != lastField && field != allField {
			continue
		}
		path, err := strconv.Unquote(strings.TrimSpace(value))
		if err != nil {
			return state{}, status.Errorf(status.DataLoss, "%s is malformed: %s", name, strings.TrimSpace(line))
		}
		if field == lastField {
			s.last = path
		} else {
			s.all = append(s.all, path)
		}
	}
	if s.last == "" && s.all == nil {
		return state{}, status.Errorf(status.DataLoss, "%s names no checkpoint", name)
	}
	return s, nil
}

// add makes a checkpoint the newest.
func (s *state) add(name string) {
	s.all = append(slices.DeleteFunc(s.all, func(other string) bool { return other == name }), name)
}

// trim forgets the oldest checkpoints, so that at most keep are left, and returns
// them.
func (s *state) trim(keep int) (old []string) {
	if n := len(s.all) - keep; keep >= 0 && n > 0 {
		old = slices.Clone(s.all[:n])
		s.all = slices.Delete(s.all, 0, n)
	}
	return old
}

// write replaces the file as a whole.
func (s *state) write(fs *files.Policy, dir string) error {
	return fs.WriteFile(filepath.Join(dir, stateFile), func(w io.Writer) error {
		if s.last != "" {
			fmt.Fprintf(w, "%s: %q\n", lastField, s.last)
		}
		for _, name := range s.all {
			fmt.Fprintf(w, "%s: %q\n", allField, name)
		}
		return nil
	})
}

// prefix returns the prefix of a checkpoint that the file in a directory names.
func prefixOf(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// whole returns the checkpoint to restore: the last one, or, if that is not there, the
// newest that is. A checkpoint is there if its index is.
func (s *state) whole(dir string) (prefix string, ok bool) {
	for _, name := range slices.Backward(append(slices.Clone(s.all), s.last)) {
		if prefix := prefixOf(dir, name); name != "" && bundle.Exists(nil, prefix) {
			return prefix, true
		}
	}
	return "", false
}

// tidy removes what is left of checkpoints of the directory that were not completed,
// or not removed completely, and forgets them.
func (s *state) tidy(fs *files.Policy, dir string) {
	s.all = slices.DeleteFunc(s.all, func(name string) bool {
		prefix := prefixOf(dir, name)
		if bundle.Exists(nil, prefix) {
			if filepath.Base(name) == name {
				bundle.Tidy(fs, prefix)
			}
			return false
		}
		return remove(fs, dir, name)
	})
}

// remove removes a checkpoint that the file names. It returns false if a part of it
// stays, so that it is to be named on.
func remove(fs *files.Policy, dir, name string) bool {
	return filepath.Base(name) != name || // it is not one of this directory
		bundle.Remove(fs, filepath.Join(dir, name)) == nil
}
