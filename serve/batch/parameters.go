package batch

import (
	"os"
	"runtime"
	"time"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/troupe-go/troupe/serve/batch/parameters"
	"github.com/troupe-go/troupe/status"
)

//go:generate protoc --proto_path=parameters --go_out=parameters --go_opt=module=github.com/troupe-go/troupe/serve/batch/parameters troupe/serving/batching.proto

// Parameters are TensorFlow Serving's batching parameters. Zero values are its defaults.
type Parameters struct {
	MaxBatchSize       int           // rows of a batch; 0: 1000
	BatchTimeout       time.Duration // a batch that is not full waits so long for more
	MaxEnqueuedBatches int           // requests beyond that are refused; 0: 10
	NumBatchThreads    int           // batches that run at a time; 0: one for each CPU
	// AllowedBatchSizes are the only sizes of batches, in ascending order. The last is
	// MaxBatchSize. A smaller batch is padded with copies of its first row.
	AllowedBatchSizes []int
	// PadVariableLengthInputs joins inputs of unequal inner shapes, each padded to the
	// greatest with its first element. Outputs keep the padded size.
	PadVariableLengthInputs bool
	// EnableLargeBatchSplitting splits a request of more than MaxBatchSize rows, which is
	// refused otherwise.
	EnableLargeBatchSplitting bool
}

// ReadParameters reads a file of TensorFlow Serving's --batching_parameters_file: the
// message BatchingParameters as text. It fails with INVALID_ARGUMENT for an unknown field
// or a value out of range.
func ReadParameters(file string) (*Parameters, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, status.From(err)
	}
	p, err := ParseParameters(text)
	if err != nil {
		return nil, status.Within(err, "%s", file)
	}
	return p, nil
}

// ParseParameters is [ReadParameters] of the file's contents.
func ParseParameters(text []byte) (*Parameters, error) {
	const most = 64 << 10 // bytes; prototext recurses
	if len(text) > most {
		return nil, status.Invalid("batching parameters have more than %d bytes", most)
	}
	var m parameters.BatchingParameters
	if err := prototext.Unmarshal(text, &m); err != nil {
		return nil, status.Invalid("batching parameters: %v", err)
	}
	p := &Parameters{PadVariableLengthInputs: m.GetPadVariableLengthInputs(), EnableLargeBatchSplitting: m.GetEnableLargeBatchSplitting().GetValue()}
	micros := 0
	for _, f := range []struct {
		name  string
		from  *wrapperspb.Int64Value
		to    *int
		least int64
	}{
		{"max_batch_size", m.MaxBatchSize, &p.MaxBatchSize, 1},
		{"batch_timeout_micros", m.BatchTimeoutMicros, &micros, 0},
		{"max_enqueued_batches", m.MaxEnqueuedBatches, &p.MaxEnqueuedBatches, 1},
		{"num_batch_threads", m.NumBatchThreads, &p.NumBatchThreads, 1},
	} {
		if f.from == nil {
			continue
		}
		const most = 1 << 30
		if f.from.Value < f.least || f.from.Value > most {
			return nil, status.Invalid("%s is %d, which is not between %d and %d", f.name, f.from.Value, f.least, most)
		}
		*f.to = int(f.from.Value)
	}
	p.BatchTimeout = time.Duration(micros) * time.Microsecond
	for _, n := range m.AllowedBatchSizes {
		p.AllowedBatchSizes = append(p.AllowedBatchSizes, int(n))
	}
	if e := m.MaxExecutionBatchSize; e != nil && p.EnableLargeBatchSplitting && e.Value > 0 && e.Value < int64(p.resolved().MaxBatchSize) {
		p.MaxBatchSize = int(e.Value)
	}
	return p, p.Check()
}

// Check fails with INVALID_ARGUMENT if the parameters contradict one another.
func (p *Parameters) Check() error {
	last := 0
	for _, n := range p.AllowedBatchSizes {
		if n <= last {
			return status.Invalid("allowed_batch_sizes must be positive and in ascending order, not %v", p.AllowedBatchSizes)
		}
		last = n
	}
	if size := p.resolved().MaxBatchSize; last > 0 && last != size {
		return status.Invalid("the last of allowed_batch_sizes is %d, and must be max_batch_size, which is %d", last, size)
	}
	return nil
}

// resolved returns the parameters with defaults in place of zeros.
func (p *Parameters) resolved() Parameters {
	r := *p
	if r.MaxBatchSize <= 0 {
		r.MaxBatchSize = 1000
	}
	if r.MaxEnqueuedBatches <= 0 {
		r.MaxEnqueuedBatches = 10
	}
	if r.NumBatchThreads <= 0 {
		r.NumBatchThreads = runtime.GOMAXPROCS(0)
	}
	return r
}
