package serve

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A v2Call is the JSON of a request.
type v2Call struct {
	id, signature string
	binary        bool // outputs are binary unless they say otherwise
	inputs        []v2Input
	outputs       []v2Output
}

type v2Input struct {
	name, datatype string
	shape          []int64
	size           int64 // of binary contents; -1: data has the elements
	data           []byte
}

type v2Output struct {
	name   string
	binary bool
}

// The parameters of the protocol's extensions that change what a request means.
var unsupported = []string{"shared_memory_region", "classification", "sequence_id"}

// parseV2 reads the JSON of a request.
func parseV2(text []byte) (out v2Call, err error) {
	c := cursor{b: text}
	if c.peek() != '{' {
		return out, status.Invalid("Failed to parse the request: it is no JSON object")
	}
	var list []byte
	err = c.members(func(name string) (err error) {
		switch name {
		case "id":
			out.id, err = c.text()
		case "parameters":
			err = c.parameters(func(name string) (err error) {
				switch name {
				case "binary_data_output":
					out.binary, err = c.boolean()
				case "signature_name":
					out.signature, err = c.text()
				default:
					err = c.other(name)
				}
				return err
			})
		case "inputs":
			err = c.items(func(int) error {
				in, err := c.v2Input()
				out.inputs = append(out.inputs, in)
				return err
			})
		case "outputs":
			list, err = c.skip(1) // binary_data_output may follow
		default:
			_, err = c.skip(1)
		}
		return err
	})
	if err == nil && c.peek() != 0 {
		err = c.fail("text after the request")
	}
	if err != nil || list == nil {
		return out, err
	}
	c = cursor{b: list}
	return out, c.items(func(int) error {
		o := v2Output{binary: out.binary}
		err := c.members(func(name string) (err error) {
			switch name {
			case "name":
				o.name, err = c.text()
			case "parameters":
				err = c.parameters(func(name string) (err error) {
					if name == "binary_data" {
						o.binary, err = c.boolean()
						return err
					}
					return c.other(name)
				})
			default:
				_, err = c.skip(3)
			}
			return err
		})
		out.outputs = append(out.outputs, o)
		return err
	})
}

// v2Input reads an input.
func (c *cursor) v2Input() (in v2Input, err error) {
	in.size = -1
	shaped := false
	err = c.members(func(name string) (err error) {
		switch name {
		case "name":
			in.name, err = c.text()
		case "datatype":
			in.datatype, err = c.text()
		case "shape":
			shaped = true
			err = c.items(func(int) error {
				d, err := c.integer()
				if in.shape = append(in.shape, d); err == nil && (d < 0 || len(in.shape) > tensor.MaxRank) {
					err = status.Invalid("input '%s' has the dimension %d", in.name, d)
				}
				return err
			})
		case "data":
			in.data, err = c.skip(3)
		case "parameters":
			err = c.parameters(func(name string) (err error) {
				if name == "binary_data_size" {
					if in.size, err = c.integer(); err == nil && in.size < 0 {
						err = status.Invalid("binary_data_size is %d", in.size)
					}
					return err
				}
				return c.other(name)
			})
		default:
			_, err = c.skip(3)
		}
		return err
	})
	switch {
	case err != nil:
	case in.name == "":
		err = status.Invalid("an input has no name")
	case in.datatype == "":
		err = status.Invalid("input '%s' has no datatype", in.name)
	case !shaped:
		err = status.Invalid("input '%s' has no shape", in.name)
	case in.size < 0 && in.data == nil:
		err = status.Invalid("input '%s' has neither data nor binary_data_size", in.name)
	case in.size >= 0 && in.data != nil:
		err = status.Invalid("input '%s' has both data and binary_data_size", in.name)
	}
	return in, err
}

// parameters calls do with the name of each parameter, whose value do must read.
func (c *cursor) parameters(do func(name string) error) error {
	if c.peek() == 'n' { // null
		_, err := c.skip(1)
		return err
	}
	return c.members(do)
}

// other passes over a parameter of a name without a meaning here.
func (c *cursor) other(name string) error {
	if slices.Contains(unsupported, name) {
		return status.Errorf(status.Unimplemented, "the parameter '%s' is not supported", name)
	}
	_, err := c.skip(4)
	return err
}

func (c *cursor) boolean() (bool, error) {
	c.peek()
	switch w := string(c.word()); w {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, c.fail("true or false is missing")
}

func (c *cursor) integer() (int64, error) {
	c.peek()
	n, err := strconv.ParseInt(string(c.word()), 10, 64)
	if err != nil {
		return 0, c.fail("a whole number is missing")
	}
	return n, nil
}

// tensor makes a tensor of an input's data, or reads its binary contents from r.
func (in v2Input) tensor(r io.Reader) (*tensor.Tensor, error) {
	dt, err := datatype.Parse(in.datatype)
	if err != nil {
		return nil, err
	}
	if in.size >= 0 {
		return datatype.Read(r, in.size, dt, in.shape)
	}
	n, err := tensor.NumElements(dt, in.shape)
	if err != nil {
		return nil, err
	}
	col, err := v2Column(dt)
	if err != nil {
		return nil, err
	}
	dims, err := col.read(in.data)
	if err != nil {
		return nil, err
	}
	if have, err := tensor.NumElements(dt, dims); err != nil || have != n {
		return nil, status.Invalid("data has %d elements, for the shape %s", have, tensor.FormatDims(in.shape))
	}
	return col.tensor(in.shape)
}

// v2 reads the body of an infer: JSON, and the binary contents of inputs behind it, which
// are read into the memory of their tensors.
func (b *body) v2(w http.ResponseWriter, r *http.Request) (out v2Call, inputs map[string]*tensor.Tensor, err error) {
	var text []byte
	rest := io.Reader(bytes.NewReader(nil))
	if length := r.Header.Get(inferenceHeader); length == "" {
		text, err = b.read(w, r, nil)
	} else {
		n, e := strconv.ParseInt(length, 10, 64)
		if e != nil || n < 0 {
			return out, nil, status.Invalid("%s is '%.40s', not a number of bytes", inferenceHeader, length)
		}
		if rest, err = b.reader(w, r); err == nil {
			if text, err = b.all(io.LimitReader(rest, n), n, nil); err == nil && int64(len(text)) < n {
				err = status.Invalid("the request's body ends after %d bytes of JSON, of %d", len(text), n)
			}
		}
	}
	if err != nil {
		return out, nil, err
	}
	if out, err = parseV2(text); err != nil {
		return out, nil, err
	}
	inputs = map[string]*tensor.Tensor{}
	for _, in := range out.inputs {
		if inputs[in.name] != nil {
			return out, nil, status.Invalid("there are two inputs '%s'", in.name)
		}
		if in.size > b.h.o.MaxBody {
			return out, nil, &http.MaxBytesError{Limit: b.h.o.MaxBody}
		}
		if err := b.take(max(0, in.size)); err != nil {
			return out, nil, err
		}
		if inputs[in.name], err = in.tensor(rest); err != nil {
			return out, nil, within(in.name, err)
		}
	}
	if n, err := rest.Read(make([]byte, 1)); n > 0 {
		return out, nil, status.Invalid("the body goes on behind the contents of the inputs")
	} else if err != nil && !errors.Is(err, io.EOF) {
		return out, nil, broken(err)
	}
	return out, inputs, nil
}

// v2Column is columnOf for types that TensorFlow Serving's JSON does not have, too.
func v2Column(dt tensor.DType) (column, error) {
	switch dt {
	case tensor.Uint16:
		return &typed[uint16]{dt: dt, element: func(c *cursor) (uint16, bool) {
			n, err := strconv.ParseUint(string(c.word()), 10, 16)
			return uint16(n), err == nil
		}}, nil
	case tensor.Half:
		return &typed[tensor.Float16]{dt: dt, element: func(c *cursor) (tensor.Float16, bool) {
			x, ok := float32Of(c)
			return tensor.ToFloat16(x), ok
		}}, nil
	case tensor.Bfloat16:
		return &typed[tensor.BFloat16]{dt: dt, element: func(c *cursor) (tensor.BFloat16, bool) {
			x, ok := float32Of(c)
			return tensor.ToBFloat16(x), ok
		}}, nil
	}
	return columnOf(dt)
}
