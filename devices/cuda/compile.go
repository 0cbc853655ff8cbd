package cuda

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
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

// compilation is a result of NVRTC's as an error; nil for success.
func compilation(call string, result int32) error {
	if result == 0 {
		return nil
	}
	return status.Errorf(status.Internal, "NVRTC: %s answers %d", call, result)
}

// target is what to compile for a device whose compute capability is a number such as 90:
// its own architecture or, if NVRTC does not know that, PTX of the newest before it.
func target(capability int) (string, error) {
	compiler, err := api.FindCompiler()
	if err != nil {
		return "", err
	}
	var n int32
	if err := compilation("nvrtcGetNumSupportedArchs", int32(compiler.GetNumSupportedArchs.Call(uintptr(unsafe.Pointer(&n))))); err != nil {
		return "", err
	}
	known := make([]int32, max(1, min(n, 1<<10)))
	if err := compilation("nvrtcGetSupportedArchs", int32(compiler.GetSupportedArchs.Call(uintptr(unsafe.Pointer(&known[0]))))); err != nil {
		return "", err
	}
	return newest(known, capability)
}

func newest(known []int32, capability int) (string, error) {
	best := 0
	for _, k := range known {
		if int(k) <= capability {
			best = max(best, int(k))
		}
	}
	switch best {
	case capability:
		return fmt.Sprintf("sm_%d", best), nil
	case 0:
		return "", status.Errorf(status.Unimplemented, "NVRTC does not compile for devices of compute capability %d.%d: it knows %v", capability/10, capability%10, known)
	}
	return fmt.Sprintf("compute_%d", best), nil
}

// compiled is what Compile gives, from the cache if it is there. fresh asks for it to
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
