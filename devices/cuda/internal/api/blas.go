package api

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// A BLAS has the functions of cuBLAS.
type BLAS struct {
	Create, Destroy, SetStream, SetWorkspace, SetMathMode, GemmEx, GemmStridedBatchedEx dynamic.Function
}

// Functions returns where the functions are, by the names that the library exports.
func (b *BLAS) Functions() map[string]*dynamic.Function {
	return map[string]*dynamic.Function{
		"cublasCreate_v2": &b.Create, "cublasDestroy_v2": &b.Destroy, "cublasSetStream_v2": &b.SetStream, "cublasSetWorkspace_v2": &b.SetWorkspace,
		"cublasSetMathMode": &b.SetMathMode, "cublasGemmEx": &b.GemmEx, "cublasGemmStridedBatchedEx": &b.GemmStridedBatchedEx,
	}
}

// BLASVariable is the environment variable that names another library of cuBLAS.
const BLASVariable = "TROUPE_CUBLAS_LIBRARY"

// FindBLAS returns cuBLAS. It fails with NOT_FOUND where there is none.
func FindBLAS() (*BLAS, error) {
	if l := replaced.Load(); l != nil {
		if l.BLAS == nil {
			return nil, status.Errorf(status.NotFound, "there is no cuBLAS")
		}
		return l.BLAS, nil
	}
	return loadBLAS()
}

var loadBLAS = sync.OnceValues(func() (*BLAS, error) {
	names := []string{"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"}
	if name := os.Getenv(BLASVariable); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		if filepath.IsAbs(name) { // beside it is a library that it needs
			beside, _ := filepath.Glob(filepath.Join(filepath.Dir(name), "libcublasLt.so*"))
			for _, b := range beside {
				dynamic.Open(b) // if it fails, so does the next, and says why
			}
		}
	}
	lib, err := dynamic.Open(names...)
	if err != nil {
		return nil, status.Within(err, "cuBLAS")
	}
	b := new(BLAS)
	return b, lib.Resolve(b.Functions())
})

// Numbers of cuBLAS's interface.
const (
	OpN, OpT                = 0, 1
	R32F, R64F, R16F, R16BF = 0, 1, 2, 14
	Compute32F, Compute64F  = 68, 70
	GemmDefault             = 1<<32 - 1 // -1
	DefaultMath             = 0
	WideReductions          = 16 // CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
	BLASNotInitialized      = 1
	BLASAllocFailed         = 3
	BLASInvalidValue        = 7
	BLASArchMismatch        = 8
	BLASExecutionFailed     = 13
	BLASInternal            = 14
	BLASNotSupported        = 15
)
