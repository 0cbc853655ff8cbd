package config

import (
	"cmp"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/status"
)

// file is a configuration in YAML.
type file struct {
	Models []model `yaml:"models"`
}

type model struct {
	Name     string `yaml:"name"`
	Path     string `yaml:"path"`
	Versions struct {
		Latest   int     `yaml:"latest"`
		All      bool    `yaml:"all"`
		Specific []int64 `yaml:"specific"`
	} `yaml:"versions"`
	Labels map[string]int64 `yaml:"labels"`
	Canary struct {
		Share   float64 `yaml:"share"`
		Version int64   `yaml:"version"`
	} `yaml:"canary"`
	Weight  float64       `yaml:"weight"`
	Running int           `yaml:"running"`
	Waiting int           `yaml:"waiting"`
	Timeout time.Duration `yaml:"timeout"`
	Memory  size          `yaml:"memory"`
	WarmUp  []string      `yaml:"warmup"`

	BatchLoops bool `yaml:"batch_loops"`
}

// size is a number of bytes, such as 512MiB.
type size int64

// UnmarshalYAML reads a number with or without a unit.
func (s *size) UnmarshalYAML(text []byte) error {
	n, err := ParseSize(strings.Trim(strings.TrimSpace(string(text)), `"'`))
	*s = size(n)
	return err
}

// Units are those of sizes, each 1024 of the one before.
var Units = []string{"B", "KiB", "MiB", "GiB", "TiB"}

// ParseSize reads a number of bytes: 1073741824 or 1GiB. It fails with INVALID_ARGUMENT for
// anything else.
func ParseSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGTi")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit := slices.Index(Units, cmp.Or(text[len(digits):], "B"))
	if err != nil || n < 0 || unit < 0 || n > math.MaxInt64>>(10*unit) {
		return 0, status.Invalid("%q is not a size; write bytes, or a unit as in 512MiB or 2GiB", text)
	}
	return n << (10 * unit), nil
}

// ParseYAML reads a configuration in YAML; relative paths are below the folder. It fails
// with INVALID_ARGUMENT for a mistake in it, with its line.
func ParseYAML(text []byte, folder string) ([]serve.Config, error) {
	f, err := decode(text)
	if err != nil {
		return nil, err
	}
	var list []serve.Config
	for _, m := range f.Models {
		path, err := local(m.Path)
		if err != nil {
			return nil, err
		}
		c := serve.Config{
			Name: m.Name, Path: below(folder, path), Labels: m.Labels,
			Policy: serve.Policy{Latest: m.Versions.Latest, All: m.Versions.All, Specific: m.Versions.Specific},
			Canary: serve.Canary{Share: m.Canary.Share, Version: m.Canary.Version},
			Weight: m.Weight, Running: m.Running, Waiting: m.Waiting, Timeout: m.Timeout, Memory: int64(m.Memory), BatchLoops: m.BatchLoops,
		}
		for _, w := range m.WarmUp {
			c.WarmUp = append(c.WarmUp, below(folder, w))
		}
		if n := count(c.Policy.All, c.Policy.Latest != 0, len(c.Policy.Specific) > 0); n > 1 {
			return nil, status.Invalid("model '%s': versions are given by more than one of latest, all and specific", m.Name)
		}
		list = append(list, c)
	}
	return list, nil
}

// decode reads the form. The library panics on some texts that are not YAML: that is an
// error of the text, too.
func decode(text []byte) (f file, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = status.Invalid("it is not valid YAML, and the place of the mistake is not known")
		}
	}()
	if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
		return f, status.Invalid("%s", strings.TrimSpace(yaml.FormatError(err, false, true)))
	}
	return f, nil
}

func count(all ...bool) (n int) {
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

func below(folder, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, path)
}

// maxFile bounds the file that is read.
const maxFile = 16 << 20

// Read reads a file: YAML if its name ends in .yaml, .yml or .json, which is YAML as well,
// and otherwise the text of a ModelServerConfig.
func Read(name string) ([]serve.Config, error) {
	info, err := os.Stat(name)
	if err == nil && info.Size() > maxFile {
		err = status.Invalid("it has %d bytes, more than %d", info.Size(), maxFile)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	var list []serve.Config
	if err == nil {
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".json":
			list, err = ParseYAML(text, filepath.Dir(name))
		default:
			list, err = ParseText(text)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, status.Errorf(status.NotFound, "file %s does not exist", name)
	}
	if err != nil {
		e := *status.From(err)
		e.Message = name + ": " + e.Message
		return nil, &e
	}
	return list, nil
}
