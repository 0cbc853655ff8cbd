package cuda

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

// Compile compiles a source for an architecture: machine code for one such as "sm_90",
// PTX, which drivers of that and of newer devices compile, for one such as "compute_90".
// It needs NVRTC and no GPU.
func Compile(source, architecture string) ([]byte, error) {
	compiler, err := api.FindCompiler()
	if err != nil {
		return nil, err
	}
	text, name := []byte(source+"\x00"), []byte("troupe.cu\x00")
	var program uintptr
	if err := compilation("nvrtcCreateProgram", int32(compiler.CreateProgram.Call(uintptr(unsafe.Pointer(&program)),
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&name[0])), 0, 0, 0))); err != nil {
		return nil, err
	}
	defer compiler.DestroyProgram.Call(uintptr(unsafe.Pointer(&program)))
	option := []byte("--gpu-architecture=" + architecture + "\x00")
	var pin runtime.Pinner // options has its address, which the collector does not see
	pin.Pin(&option[0])
	options := []*byte{&option[0]}
	r := int32(compiler.CompileProgram.Call(program, 1, uintptr(unsafe.Pointer(&options[0]))))
	pin.Unpin()
	var n uintptr
	if r != 0 {
		log := []byte("no log")
		if compiler.GetProgramLogSize.Call(program, uintptr(unsafe.Pointer(&n))); n > 1 && n < 1<<20 {
			log = make([]byte, n)
			compiler.GetProgramLog.Call(program, uintptr(unsafe.Pointer(&log[0])))
		}
		return nil, status.Within(compilation("nvrtcCompileProgram", r), "%s", strings.Trim(string(log), "\x00\n"))
	}
	size, get := compiler.GetCUBINSize, compiler.GetCUBIN
	if strings.HasPrefix(architecture, "compute_") {
		size, get = compiler.GetPTXSize, compiler.GetPTX
	}
	if err := compilation("asking NVRTC for the size of its code", int32(size.Call(program, uintptr(unsafe.Pointer(&n))))); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, status.Errorf(status.Internal, "NVRTC made nothing for %s", architecture)
	}
	code := make([]byte, n)
	return code, compilation("asking NVRTC for its code", int32(get.Call(program, uintptr(unsafe.Pointer(&code[0])))))
}

// compilation returns a result of NVRTC's as an error; nil for success.
func compilation(call string, result int32) error {
	if result == 0 {
		return nil
	}
	return status.Errorf(status.Internal, "NVRTC: %s answers %d", call, result)
}

// target returns what to compile for a device whose compute capability is a number such as 90.
func target(driver *api.Driver, capability int) (string, error) {
	compiler, err := api.FindCompiler()
	if err != nil {
		return "", err
	}
	var n, version, major, minor int32
	if err := compilation("nvrtcGetNumSupportedArchs", int32(compiler.GetNumSupportedArchs.Call(uintptr(unsafe.Pointer(&n))))); err != nil {
		return "", err
	}
	known := make([]int32, max(1, min(n, 1<<10)))
	if err := compilation("nvrtcGetSupportedArchs", int32(compiler.GetSupportedArchs.Call(uintptr(unsafe.Pointer(&known[0]))))); err != nil {
		return "", err
	}
	compiler.Version.Call(uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
	if err := driver.Failure("cuDriverGetVersion", int32(driver.GetVersion.Call(uintptr(unsafe.Pointer(&version))))); err != nil {
		return "", err
	}
	return choose(known, capability, release{int(major), int(minor)}, release{int(version) / 1000, int(version) % 1000 / 10})
}

// A release is a version of CUDA.
type release struct{ major, minor int }

// boards are capabilities of NVIDIA's embedded boards, whose machine code other devices do not
// run.
var boards = []int{53, 62, 72, 87, 101, 110}

// choose returns what a compiler of that release, which knows these architectures, compiles to for
// a device whose driver is of another. Machine code runs on devices of the same major
// capability and the same minor one or a higher one, if the driver is of the compiler's major
// release or a later one; PTX on devices of its capability and later ones, if the driver is not
// older than the compiler. Machine code for the device itself comes first, then PTX of the
// newest architecture before it.
func choose(known []int32, capability int, compiler, driver release) (string, error) {
	code, portable := 0, 0
	for _, k := range known {
		k := int(k)
		if k > capability {
			continue
		}
		portable = max(portable, k)
		if k == capability || k/10 == capability/10 && !slices.Contains(boards, k) && !slices.Contains(boards, capability) {
			code = max(code, k)
		}
	}
	runs := driver.major >= compiler.major
	newer := driver.major > compiler.major || driver.major == compiler.major && driver.minor >= compiler.minor
	switch {
	case portable == 0:
		return "", status.Errorf(status.Unimplemented, "NVRTC does not compile for devices of compute capability %d.%d: it knows %v", capability/10, capability%10, known)
	case code == capability && runs, code > 0 && runs && !newer:
		return fmt.Sprintf("sm_%d", code), nil
	case newer:
		return fmt.Sprintf("compute_%d", portable), nil
	}
	return "", status.Errorf(status.Unimplemented, "the driver is of CUDA %d.%d and runs nothing that NVRTC %d.%d compiles for compute capability %d.%d: update the driver, or name an older NVRTC in %s",
		driver.major, driver.minor, compiler.major, compiler.minor, capability/10, capability%10, api.CompilerVariable)
}

// compiled returns what Compile gives, from the cache if it is there. fresh asks for it to
// be compiled again.
func compiled(source, architecture string, fresh bool) ([]byte, error) {
	compiler, err := api.FindCompiler()
	if err != nil {
		return nil, err
	}
	var major, minor int32
	compiler.Version.Call(uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
	digest := sha256.Sum256(fmt.Appendf(nil, "%d.%d\x00%s\x00%s", major, minor, architecture, source))
	folder, err := os.UserCacheDir()
	if err != nil {
		return Compile(source, architecture)
	}
	name := filepath.Join(folder, "troupe", "cuda", fmt.Sprintf("%x", digest))
	if !fresh {
		if code, err := os.ReadFile(name); err == nil && len(code) > 0 {
			return code, nil
		}
	}
	code, err := Compile(source, architecture)
	if err == nil {
		store(name, code)
	}
	return code, err
}

// store writes a file of the cache, whole or not at all. Without it the next process
// compiles again.
func store(name string, data []byte) {
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	_ = files.WriteFile(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}
