package serve

import (
	"net/http"
	"strconv"

	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// v2Reply writes the outputs of an infer: as JSON, or behind it.
func v2Reply(name string, version int64, request v2Call, outputs map[string]*tensor.Tensor) (out reply, err error) {
	b := append(appendText([]byte(`{"model_name":`), name), `,"model_version":"`...)
	b = append(strconv.AppendInt(b, version, 10), '"')
	if request.id != "" {
		b = appendText(append(b, `,"id":`...), request.id)
	}
	b = append(b, `,"outputs":[`...)
	binary := false
	for i, o := range request.outputs {
		t := outputs[o.name]
		if t == nil { // an operation, which has no tensor
			continue
		}
		if i > 0 {
			b = append(b, ',')
		}
		dt := datatype.Name(t.DType())
		if dt == "" {
			return out, status.Invalid("the protocol has no type for output '%s', which is %v", o.name, t.DType())
		}
		b = append(appendText(append(b, `{"name":`...), o.name), `,"datatype":"`...)
		b = append(append(b, dt...), `","shape":[`...)
		for k, d := range t.Dims() {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, d, 10)
		}
		b = append(b, ']')
		if o.binary {
			binary = true
			part, err := datatype.Contents(t)
			if err != nil {
				return out, err
			}
			out.parts = append(out.parts, part)
			b = append(b, `,"parameters":{"binary_data_size":`...)
			b = append(strconv.AppendInt(b, int64(len(part)), 10), "}}"...)
			continue
		}
		p, err := v2Printer(t)
		if err != nil {
			return out, within(o.name, err)
		}
		b = append(b, `,"data":[`...)
		for k := range t.NumElements() {
			if k > 0 {
				b = append(b, ',')
			}
			b = p.print(b, k)
		}
		b = append(b, "]}"...)
	}
	out.code, out.body, out.binary = http.StatusOK, append(b, "]}"...), binary
	return out, nil
}

// v2Printer is printerOf for these types, too.
func v2Printer(t *tensor.Tensor) (*printer, error) {
	v := tensor.ValueOf(t)
	switch t.DType() {
	case tensor.Uint16:
		x := tensor.Of[uint16](&v)
		return &printer{print: func(b []byte, i int) []byte { return strconv.AppendUint(b, uint64(x[i]), 10) }}, nil
	case tensor.Half:
		x := tensor.Of[tensor.Float16](&v)
		return &printer{print: func(b []byte, i int) []byte { return appendFloat(b, float64(x[i].Float32()), 32) }}, nil
	case tensor.Bfloat16:
		x := tensor.Of[tensor.BFloat16](&v)
		return &printer{print: func(b []byte, i int) []byte { return appendFloat(b, float64(x[i].Float32()), 32) }}, nil
	}
	return printerOf("", t)
}
