package train

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
type state struct {
	last string
	all  []string // from the oldest to the last
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
	if s.last == "" {
		return state{}, status.Errorf(status.DataLoss, "%s names no checkpoint", name)
	}
	return s, nil
}

// add makes a checkpoint the last one.
func (s *state) add(name string) {
	s.all = append(slices.DeleteFunc(s.all, func(other string) bool { return other == name }), name)
	s.last = name
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
func (s *state) write(dir string) error {
	var b strings.Builder
	b.WriteString(lastField + ": " + strconv.Quote(s.last) + "\n")
	for _, name := range s.all {
		b.WriteString(allField + ": " + strconv.Quote(name) + "\n")
	}
	f, err := os.CreateTemp(dir, stateFile+".tempstate")
	if err != nil {
		return status.FromFile(err)
	}
	if err = f.Chmod(0o644); err == nil {
		if _, err = f.WriteString(b.String()); err == nil {
			err = f.Sync()
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, stateFile))
	}
	if err != nil {
		os.Remove(f.Name())
		return status.FromFile(err)
	}
	syncDir(dir)
	return nil
}

// syncDir brings the names in a directory to the disk, where the system can.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync() // not on Windows
		f.Close()
	}
}

func makeDirs(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return status.FromFile(err)
	}
	return nil
}

// removeCheckpoint removes the files of a checkpoint: the index first, without which
// there is none.
func removeCheckpoint(prefix string) {
	for _, file := range [...]string{bundle.IndexName(prefix), bundle.DataName(prefix, 0, 1)} {
		_ = os.Remove(file) // what cannot be removed now is in nobody's way
	}
}
