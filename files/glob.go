package files

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// Glob lists the names that match a pattern of [filepath.Match]: those that the
// policy lets be read. A pattern that is not one matches nothing. A pattern
// whose part before the first wildcard lies outside is PERMISSION_DENIED.
func (p *Policy) Glob(pattern string) ([]string, error) {
	pattern = local(pattern)
	if p == nil {
		names, _ := filepath.Glob(pattern)
		return names, nil
	}
	fixed := pattern
	if i := strings.IndexAny(pattern, `*?[\`); i >= 0 {
		fixed = pattern[:i]
	}
	// What begins like "dir/na*" is looked for in dir.
	dir := fixed[:strings.LastIndexAny(fixed, `/`+string(filepath.Separator))+1]
	if dir == "" {
		dir = "."
	}
	if fixed == pattern {
		dir = pattern
	}
	root, rel, err := p.in(reading, dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if fixed == pattern {
		if _, err := root.Stat(rel); err != nil {
			return nil, nil
		}
		return []string{pattern}, nil
	}
	rest := strings.TrimPrefix(pattern, dir)
	if dir == "." {
		dir = ""
	}
	within := filepath.ToSlash(rel) + "/" + rest
	if rel == "." {
		within = rest
	}
	found, err := fs.Glob(root.FS(), within)
	if err != nil {
		return nil, nil
	}
	prefix := strings.TrimSuffix(within, rest)
	names := make([]string, len(found))
	for i, name := range found {
		names[i] = dir + strings.TrimPrefix(name, prefix)
	}
	return names, nil
}
