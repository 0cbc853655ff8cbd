package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

// Compile compiles a source for an architecture, such as "sm_90". It needs NVRTC and
// no GPU.
func Compile(source, architecture string) ([]byte, error) {
	if err := loadCompiler(); err != nil {
		return nil, err
	}
	text, name := []byte(source+"\x00"), []byte("troupe.cu\x00")
	var program uintptr
	if err := compilation("nvrtcCreateProgram", int32(compiler.createProgram.Call(uintptr(unsafe.Pointer(&program)),
		uintptr(unsafe.Pointer(&text[0])), uintptr(unsafe.Pointer(&name[0])), 0, 0, 0))); err != nil {
		return nil, err
	}
	defer compiler.destroyProgram.Call(uintptr(unsafe.Pointer(&program)))
	option := []byte("--gpu-architecture=" + architecture + "\x00")
	var pin runtime.Pinner // options has its address, which the collector does not see
	pin.Pin(&option[0])
	options := []*byte{&option[0]}
	r := int32(compiler.compileProgram.Call(program, 1, uintptr(unsafe.Pointer(&options[0]))))
	pin.Unpin()
	var n uintptr
	if r != 0 {
		log := []byte("no log")
		if compiler.getLogSize.Call(program, uintptr(unsafe.Pointer(&n))); n > 1 && n < 1<<20 {
			log = make([]byte, n)
			compiler.getLog.Call(program, uintptr(unsafe.Pointer(&log[0])))
		}
		return nil, status.Within(compilation("nvrtcCompileProgram", r), "%s", strings.Trim(string(log), "\x00\n"))
	}
	if err := compilation("nvrtcGetCUBINSize", int32(compiler.getCubinSize.Call(program, uintptr(unsafe.Pointer(&n))))); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, status.Errorf(status.Internal, "NVRTC made nothing for %s", architecture)
	}
	cubin := make([]byte, n)
	return cubin, compilation("nvrtcGetCUBIN", int32(compiler.getCubin.Call(program, uintptr(unsafe.Pointer(&cubin[0])))))
}

// compilation is a result of NVRTC's as an error; nil for success.
func compilation(call string, result int32) error {
	if result == 0 {
		return nil
	}
	return status.Errorf(status.Internal, "NVRTC: %s answers %d", call, result)
}

// compiled is what Compile gives, from the cache if it is there. fresh asks for it to
// be compiled again.
func compiled(source, architecture string, fresh bool) ([]byte, error) {
	if err := loadCompiler(); err != nil {
		return nil, err
	}
	var major, minor int32
	compiler.version.Call(uintptr(unsafe.Pointer(&major)), uintptr(unsafe.Pointer(&minor)))
	digest := sha256.Sum256(fmt.Appendf(nil, "%d.%d\x00%s\x00%s", major, minor, architecture, source))
	folder, err := os.UserCacheDir()
	if err != nil {
		return Compile(source, architecture)
	}
	name := filepath.Join(folder, "troupe", "cuda", fmt.Sprintf("%x.cubin", digest))
	if !fresh {
		if cubin, err := os.ReadFile(name); err == nil && len(cubin) > 0 {
			return cubin, nil
		}
	}
	cubin, err := Compile(source, architecture)
	if err == nil {
		store(name, cubin)
	}
	return cubin, err
}

// store writes a file of the cache, whole or not at all. Without it the next process
// compiles again.
func store(name string, data []byte) {
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(name), "new")
	if err != nil {
		return
	}
	_, err = f.Write(data)
	if closing := f.Close(); err != nil || closing != nil || os.Rename(f.Name(), name) != nil {
		os.Remove(f.Name())
	}
}
