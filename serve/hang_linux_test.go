package serve

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A stuckDisk is a file system that shows a folder, read only, and at some time stops to
// answer: it speaks as much of the FUSE protocol (version 7.31) as that takes.
type stuckDisk struct {
	fd   int
	from string

	mu    sync.Mutex
	paths map[uint64]string // by node
	stuck func(op uint32, path string) bool
	owed  []uint64 // requests that are not answered
}

// The operations that are answered otherwise than by "not implemented", or not at all.
const (
	fuseLookup, fuseForget, fuseGetattr, fuseOpen, fuseRead, fuseRelease = 1, 2, 3, 14, 15, 18
	fuseFlush, fuseInit, fuseOpendir, fuseReaddir, fuseReleasedir        = 25, 26, 27, 28, 29
	fuseInterrupt, fuseBatchForget                                       = 36, 42
)

var stuck = flag.Bool("stuckdisk", false, "TestStuckDisk mounts a file system that stops to answer; a process that is killed meanwhile lives until it is unmounted (umount -f)")

// mountStuck mounts what is below a folder; the test is skipped where it may not.
func mountStuck(t *testing.T, from string) (*stuckDisk, string) {
	if !*stuck {
		t.Skip("without -stuckdisk nothing is mounted")
	}
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("/dev/fuse: %v", err)
	}
	at := t.TempDir()
	if err := syscall.Mount("stuck", at, "fuse", syscall.MS_NODEV|syscall.MS_NOSUID|syscall.MS_RDONLY, fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fd, os.Getuid(), os.Getgid())); err != nil {
		syscall.Close(fd)
		t.Skipf("mounting: %v", err)
	}
	d := &stuckDisk{fd: fd, from: from, paths: map[uint64]string{1: ""}}
	served := make(chan struct{})
	go func() { defer close(served); d.serve() }()
	t.Cleanup(func() {
		d.free()
		if err := syscall.Unmount(at, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
		<-served
		syscall.Close(fd)
	})
	return d, at
}

// stick lets the disk not answer what stuck says.
func (d *stuckDisk) stick(stuck func(op uint32, path string) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stuck = stuck
}

// free lets the disk answer again, and what it owes with an error.
func (d *stuckDisk) free() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stuck = nil
	for _, id := range d.owed {
		d.reply(id, syscall.EIO, nil)
	}
	d.owed = nil
}

func (d *stuckDisk) reply(id uint64, e syscall.Errno, body []byte) {
	b := binary.NativeEndian.AppendUint32(nil, uint32(16+len(body)))
	b = binary.NativeEndian.AppendUint32(b, uint32(-int32(e)))
	b = binary.NativeEndian.AppendUint64(b, id)
	syscall.Write(d.fd, append(b, body...)) // an error says that nobody waits for it
}

func (d *stuckDisk) serve() {
	buffer := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(d.fd, buffer)
		if err == syscall.EINTR || err == syscall.ENOENT {
			continue
		}
		if err != nil || n < 40 { // unmounted
			return
		}
		b := buffer[:n]
		op, id, node := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint64(b[8:]), binary.NativeEndian.Uint64(b[16:])
		d.mu.Lock()
		switch path := d.paths[node]; {
		case op == fuseForget || op == fuseBatchForget || op == fuseInterrupt:
		case d.stuck != nil && d.stuck(op, path):
			d.owed = append(d.owed, id)
		default:
			body, e := d.answer(op, path, b[40:])
			d.reply(id, e, body)
		}
		d.mu.Unlock()
	}
}

// answer answers a request about a path below the folder.
func (d *stuckDisk) answer(op uint32, path string, in []byte) ([]byte, syscall.Errno) {
	full := filepath.Join(d.from, path)
	switch op {
	case fuseInit:
		out := binary.NativeEndian.AppendUint32(nil, 7)
		out = binary.NativeEndian.AppendUint32(out, 31)
		out = append(out, make([]byte, 8+4)...) // read ahead, flags, limits of requests
		out = binary.NativeEndian.AppendUint32(out, 1<<16)
		return append(out, make([]byte, 64-24)...), 0
	case fuseLookup:
		path = filepath.Join(path, string(in[:len(in)-1]))
		attr, e := d.attr(path)
		if e != 0 {
			return nil, e
		}
		out := binary.NativeEndian.AppendUint64(nil, d.node(path))
		return append(append(out, make([]byte, 32)...), attr...), 0
	case fuseGetattr:
		attr, e := d.attr(path)
		return append(make([]byte, 16), attr...), e
	case fuseOpen, fuseOpendir:
		return make([]byte, 16), 0
	case fuseRead:
		text, err := os.ReadFile(full)
		if err != nil {
			return nil, syscall.EIO
		}
		at, size := binary.NativeEndian.Uint64(in[8:]), binary.NativeEndian.Uint32(in[16:])
		text = text[min(at, uint64(len(text))):]
		return text[:min(int(size), len(text))], 0
	case fuseReaddir:
		list, err := os.ReadDir(full)
		if err != nil {
			return nil, syscall.EIO
		}
		var out []byte
		for i, e := range list {
			if uint64(i) < binary.NativeEndian.Uint64(in[8:]) {
				continue
			}
			kind := uint32(syscall.DT_REG)
			if e.IsDir() {
				kind = syscall.DT_DIR
			}
			out = binary.NativeEndian.AppendUint64(out, d.node(filepath.Join(path, e.Name())))
			out = binary.NativeEndian.AppendUint64(out, uint64(i+1))
			out = binary.NativeEndian.AppendUint32(out, uint32(len(e.Name())))
			out = append(binary.NativeEndian.AppendUint32(out, kind), e.Name()...)
			out = append(out, make([]byte, -len(e.Name())&7)...)
		}
		return out, 0
	case fuseRelease, fuseReleasedir, fuseFlush:
		return nil, 0
	}
	return nil, syscall.ENOSYS
}

// node returns the number of a path.
func (d *stuckDisk) node(path string) uint64 {
	for n, p := range d.paths {
		if p == path {
			return n
		}
	}
	n := uint64(len(d.paths) + 1)
	d.paths[n] = path
	return n
}

func (d *stuckDisk) attr(path string) ([]byte, syscall.Errno) {
	info, err := os.Stat(filepath.Join(d.from, path))
	if err != nil {
		return nil, syscall.ENOENT
	}
	s := info.Sys().(*syscall.Stat_t)
	var out []byte
	for _, x := range []uint64{d.node(path), uint64(info.Size()), 0, 0, uint64(info.ModTime().Unix()), 0} {
		out = binary.NativeEndian.AppendUint64(out, x)
	}
	for _, x := range []uint32{0, uint32(info.ModTime().Nanosecond()), 0, s.Mode, 1, s.Uid, s.Gid, 0, 4096, 0} {
		out = binary.NativeEndian.AppendUint32(out, x)
	}
	return out, 0
}

// TestStuckDisk: a model's folder is on a file system that stops to answer. What is served
// is served, other models get their versions, and the manager can be closed.
func TestStuckDisk(t *testing.T) {
	for name, stuck := range map[string]func(op uint32, path string) bool{
		"everything": func(uint32, string) bool { return true },
		"folders":    func(op uint32, _ string) bool { return op == fuseOpendir || op == fuseReaddir },
		"graphs":     func(op uint32, path string) bool { return op == fuseRead && filepath.Base(path) == "saved_model.pb" },
		"values":     func(op uint32, path string) bool { return op == fuseRead && filepath.Dir(path) == "2/variables" },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
			heavy(t, filepath.Join(a, "1"), 1000, 1)
			heavy(t, filepath.Join(b, "1"), 1000, 1)
			disk, at := mountStuck(t, a)
			m := New(Options{Patience: 1})
			for name, path := range map[string]string{"a": at, "b": b} {
				if err := m.Add(t.Context(), Config{Name: name, Path: path}); err != nil {
					t.Fatal(err)
				}
			}
			disk.stick(stuck)
			heavy(t, filepath.Join(a, "2"), 1000, 2)
			heavy(t, filepath.Join(b, "2"), 1000, 2)
			ctx, cancel := context.WithCancel(t.Context())
			tick, watched := make(chan time.Time), make(chan struct{})
			go func() { defer close(watched); m.Watch(ctx, tick) }()
			available := func() bool {
				list, _ := m.Status(Spec{Model: "b"})
				return slices.ContainsFunc(list, func(v VersionStatus) bool { return v.Version == 2 && v.State == Available })
			}
			owes := func() bool {
				disk.mu.Lock()
				defer disk.mu.Unlock()
				return len(disk.owed) > 0
			}
			for !available() || !owes() {
				tick <- time.Time{}
			}
			for model, want := range map[string]string{"a": "5 by 1", "b": "6 by 2"} {
				if got := answers(t, m, Spec{Model: model}); got != want {
					t.Errorf("%s: %s, not %s", model, got, want)
				}
			}
			cancel()
			<-watched
			if err := m.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
}
