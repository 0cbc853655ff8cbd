package api

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A Compiler has the functions of NVRTC.
type Compiler struct {
	Version, GetNumSupportedArchs, GetSupportedArchs, CreateProgram, CompileProgram, DestroyProgram,
	GetProgramLogSize, GetProgramLog, GetCUBINSize, GetCUBIN, GetPTXSize, GetPTX dynamic.Function
}

// CompilerVariable is the environment variable that names another library of NVRTC.
const CompilerVariable = "TROUPE_NVRTC_LIBRARY"

// FindCompiler gives NVRTC. It fails with NOT_FOUND where there is none.
var FindCompiler = sync.OnceValues(func() (*Compiler, error) {
	names := []string{"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"}
	if name := os.Getenv(CompilerVariable); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if filepath.IsAbs(name) { // beside it is a library that it looks for itself
			builtins, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "libnvrtc-builtins.so*"))
			for _, b := range builtins {
				dynamic.Open(b) // if it fails, so does the compilation, and says why
			}
		}
	}
	lib, err := dynamic.Open(names...)
	if err != nil {
		return nil, status.Within(err, "CUDA's compiler, NVRTC")
	}
	c := new(Compiler)
	return c, lib.Resolve(map[string]*dynamic.Function{
		"nvrtcVersion": &c.Version, "nvrtcGetNumSupportedArchs": &c.GetNumSupportedArchs, "nvrtcGetSupportedArchs": &c.GetSupportedArchs,
		"nvrtcCreateProgram": &c.CreateProgram, "nvrtcCompileProgram": &c.CompileProgram, "nvrtcDestroyProgram": &c.DestroyProgram,
		"nvrtcGetProgramLogSize": &c.GetProgramLogSize, "nvrtcGetProgramLog": &c.GetProgramLog,
		"nvrtcGetCUBINSize": &c.GetCUBINSize, "nvrtcGetCUBIN": &c.GetCUBIN, "nvrtcGetPTXSize": &c.GetPTXSize, "nvrtcGetPTX": &c.GetPTX,
	})
})
