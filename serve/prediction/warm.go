package prediction

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// The bounds of TensorFlow Serving: of the file's records, and ours of each.
const (
	maxWarmUps = 1000
	maxRecord  = 256 << 20
)

// WarmUp returns a function for [serve.Options.WarmUp]. It replays the requests that a
// version brings in assets.extra/tf_serving_warmup_requests, a TFRecord file of
// PredictionLogs, as often as times says. It fails with the error of the first request
// that fails, with INVALID_ARGUMENT for more than 1,000 records, and with DATA_LOSS for a
// damaged file. Requests of sessions (SessionRunLog) are UNIMPLEMENTED.
func WarmUp(times int) func(context.Context, serve.Use) error {
	return func(ctx context.Context, u serve.Use) error {
		f, err := os.Open(filepath.Join(u.Folder(), "assets.extra", "tf_serving_warmup_requests"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return status.From(err)
		}
		defer f.Close()
		for i := 0; ; i++ {
			record, err := readRecord(f)
			if err == io.EOF {
				return nil
			}
			if err == nil && i == maxWarmUps {
				err = status.Invalid("there are more than %d requests", maxWarmUps)
			}
			for range max(1, times) {
				if err == nil {
					err = replay(ctx, u, record)
				}
			}
			if err != nil {
				e := *status.From(err)
				e.Message = "record " + strconv.Itoa(i) + " of tf_serving_warmup_requests: " + e.Message
				return &e
			}
		}
	}
}

// readRecord reads a record of a TFRecord file; io.EOF at its end.
func readRecord(f io.Reader) ([]byte, error) {
	var head [12]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		if err == io.EOF {
			return nil, err
		}
		return nil, status.Errorf(status.DataLoss, "it ends early")
	}
	n := binary.LittleEndian.Uint64(head[:])
	if wire.MaskedSum(head[:8]) != binary.LittleEndian.Uint32(head[8:]) || n > maxRecord {
		return nil, status.Errorf(status.DataLoss, "the length of a record is damaged, or more than %d bytes", maxRecord)
	}
	// Memory is taken as bytes arrive, not as they are announced.
	body, err := io.ReadAll(io.LimitReader(f, int64(n)+4))
	if err != nil || uint64(len(body)) != n+4 {
		return nil, status.Errorf(status.DataLoss, "it ends early")
	}
	body, sum := body[:n], binary.LittleEndian.Uint32(body[n:])
	if wire.MaskedSum(body) != sum {
		return nil, status.Errorf(status.DataLoss, "a record is damaged")
	}
	return body, nil
}

// The kinds of requests in a PredictionLog, by their fields.
const (
	logClassify       = 2
	logRegress        = 3
	logMultiInference = 4
	logSessionRun     = 5
	logPredict        = 6
)

// replay runs the request of a PredictionLog.
func replay(ctx context.Context, u serve.Use, record []byte) error {
	kind, log, err := field(record, logClassify, logRegress, logMultiInference, logSessionRun, logPredict)
	if err != nil {
		return err
	}
	_, request, err := field(log, 1)
	if err != nil {
		return err
	}
	switch kind {
	case logPredict:
		q := new(messages.PredictRequest)
		if err = proto.Unmarshal(request, q); err == nil {
			err = warmPredict(ctx, u, q)
		}
	case logClassify:
		q := new(messages.ClassificationRequest)
		if err = proto.Unmarshal(request, q); err == nil {
			_, err = classes(ctx, u, signatureOf(q.GetModelSpec()), examples(q.GetInput()))
		}
	case logRegress:
		q := new(messages.RegressionRequest)
		if err = proto.Unmarshal(request, q); err == nil {
			_, err = regressions(ctx, u, signatureOf(q.GetModelSpec()), examples(q.GetInput()))
		}
	case logMultiInference:
		q := new(messages.MultiInferenceRequest)
		if err = proto.Unmarshal(request, q); err != nil {
			break
		}
		for _, task := range q.GetTasks() {
			if task.GetMethodName() == serve.MethodRegress {
				_, err = regressions(ctx, u, signatureOf(task.GetModelSpec()), examples(q.GetInput()))
			} else {
				_, err = classes(ctx, u, signatureOf(task.GetModelSpec()), examples(q.GetInput()))
			}
			if err != nil {
				return err
			}
		}
	default:
		return status.Errorf(status.Unimplemented, "it is not a request to predict, classify or regress")
	}
	return err
}

func signatureOf(m *messages.ModelSpec) string {
	if s := m.GetSignatureName(); s != "" {
		return s
	}
	return "serving_default"
}

func warmPredict(ctx context.Context, u serve.Use, q *messages.PredictRequest) error {
	in := inputs{u: u}
	defer in.release()
	all, err := in.all(q.GetInputs())
	if err != nil {
		return err
	}
	_, err = u.Run(ctx, signatureOf(q.GetModelSpec()), all, q.GetOutputFilter()...)
	return err
}

// field returns the first of these fields that a message has.
func field(b []byte, numbers ...protowire.Number) (protowire.Number, []byte, error) {
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, nil, status.Errorf(status.DataLoss, "it is not a PredictionLog")
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(number, kind, b)
		if size < 0 {
			return 0, nil, status.Errorf(status.DataLoss, "it is not a PredictionLog")
		}
		for _, want := range numbers {
			if number == want && kind == protowire.BytesType {
				value, _ := protowire.ConsumeBytes(b)
				return number, value, nil
			}
		}
		b = b[size:]
	}
	return 0, nil, status.Errorf(status.Unimplemented, "it has no request that could be replayed")
}
