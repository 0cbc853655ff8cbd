package bundle

import (
	"path/filepath"
	"slices"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Merge makes one checkpoint of several: their data files are renamed, and an
// index over all takes the place of theirs. Of a tensor that several have, all
// must have parts. With allowMissing, prefixes without a checkpoint are passed
// over; one must be there.
//
// Nothing is touched before all indexes have been read, and a checkpoint that has the
// name is whole until the new index takes the place of its own. After an error data
// files get their old names back; where the process is killed, the parts may be left
// without them.
func Merge(fs *files.Policy, prefixes []string, dest string, allowMissing bool) error {
	m := merge{fs: fs, entries: map[string]*Entry{}}
	var found []string
	for _, p := range prefixes {
		err := m.take(p)
		if status.CodeOf(err) == status.NotFound {
			if !allowMissing {
				return status.Invalid("allow_missing_files was set to false and %s did not exist.", p)
			}
			continue
		}
		if err != nil {
			return err
		}
		found = append(found, p)
	}
	if len(found) == 0 {
		return status.Invalid("At least one prefix checkpoint file must exist, but none existed.")
	}
	total, old := len(m.files), shardsOf(fs, dest)
	if old == total {
		total++ // the data of the checkpoint that is replaced belongs to its index
	}
	if err := makeDir(fs, dest); err != nil {
		return err
	}
	moved := 0
	replaced, err := false, error(nil)
	for i, old := range m.files {
		if err = fs.Rename(old, DataName(dest, i, total)); err != nil {
			break
		}
		moved++
	}
	if err == nil { // before an index speaks of them
		err = fs.SyncDir(filepath.Dir(dest))
	}
	if err == nil {
		replaced, err = writeIndex(fs, dest, total, m.entries)
	}
	if err != nil {
		for i := range moved {
			if !replaced {
				_ = fs.Rename(DataName(dest, i, total), m.files[i])
			}
		}
		return err
	}
	for i, missing := 0, 0; i < old && missing < 2; i++ {
		if name := DataName(dest, i, old); !slices.Contains(m.files, name) && fs.Remove(name) != nil {
			missing++
		}
	}
	for _, p := range found {
		if p != dest {
			_ = fs.Remove(IndexName(p)) // without it there is no checkpoint
		}
	}
	return nil
}

// A merge is what is known of the checkpoints read so far.
type merge struct {
	fs      *files.Policy
	files   []string // the data files, by their new numbers
	entries map[string]*Entry
}

// take reads the index of a checkpoint.
func (m *merge) take(prefix string) error {
	t, shards, err := openIndex(m.fs, IndexName(prefix))
	if err != nil {
		return err
	}
	numbers := map[int32]int32{} // of the data files that are in use
	return t.each(func(key, value []byte) error {
		if len(key) == 0 {
			return nil
		}
		e, err := parseEntry(value, shards)
		if err != nil {
			return status.Errorf(status.CodeOf(err), "%s: key %q: %s", IndexName(prefix), key, status.From(err).Message)
		}
		if e.Parts == nil {
			n, ok := numbers[e.shard]
			if !ok {
				n = int32(len(m.files))
				numbers[e.shard] = n
				m.files = append(m.files, DataName(prefix, int(e.shard), int(shards)))
			}
			e.shard = n
		}
		return m.add(prefix, string(key), e)
	})
}

func (m *merge) add(prefix, key string, e *Entry) error {
	old := m.entries[key]
	switch {
	case old == nil:
		m.entries[key] = e
	case old.Parts == nil || e.Parts == nil:
		return status.Invalid("Duplicate tensor keyed by %s encountered, when merging prefix: %s", key, prefix)
	case old.DType != e.DType || !slices.Equal(old.Shape, e.Shape):
		return status.Invalid("Cannot merge tensor %s of %v%s with one of %v%s, when merging prefix: %s", key,
			old.DType, tensor.FormatDims(old.Shape), e.DType, tensor.FormatDims(e.Shape), prefix)
	default:
		old.Parts = append(old.Parts, e.Parts...)
	}
	return nil
}
