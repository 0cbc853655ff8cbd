package serve

import (
	"errors"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/tensor"
)

// A quickCall is a predict whose values were read as they came.
type quickCall struct {
	signature string
	inputs    map[string]*tensor.Tensor
	reply     func(b []byte, outputs map[string]*tensor.Tensor) ([]byte, error)
}

// quick reads the most common kind of request in one pass: the values of the only input of
// a signature, which is named in front of them if at all. It returns false for any other,
// and for one with a mistake, which parseCall reads and says what is wrong.
func quick(m *model.SavedModel, text []byte) (out quickCall, ok bool) {
	c := cursor{b: text}
	out.signature = "serving_default"
	named := false
	err := c.members(func(name string) error {
		switch name {
		case "signature_name":
			if named || out.inputs != nil {
				return errNotQuick
			}
			named = true
			s, err := c.text()
			if s != "" {
				out.signature = s
			}
			return err
		case "instances", "inputs":
			sig, known := m.Signatures[out.signature]
			if !known || len(sig.Inputs) != 1 || out.inputs != nil {
				return errNotQuick
			}
			first := c.peek()
			if first == '[' {
				first = (&cursor{b: c.b, i: c.i + 1}).peek()
			}
			if first == '{' {
				return errNotQuick
			}
			for input, info := range sig.Inputs {
				col, err := columnOf(info.DType)
				if err != nil {
					return err
				}
				dims, err := col.readAt(&c)
				if err != nil {
					return err
				}
				out.reply = appendColumns
				if name == "instances" {
					if out.reply = appendRows; len(dims) == 0 || dims[0] == 0 {
						return errNotQuick
					}
				}
				t, err := col.tensor(dims)
				if err != nil {
					return err
				}
				out.inputs = map[string]*tensor.Tensor{input: t}
			}
			return nil
		}
		_, err := c.skip(1)
		return err
	})
	return out, err == nil && out.inputs != nil
}

var errNotQuick = errors.New("not the most common kind of request")
