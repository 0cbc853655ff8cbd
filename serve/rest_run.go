package serve

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A call is the body of a request: its members as text.
type call struct {
	signature          string
	instances, inputs  []byte
	examples, context_ []byte
}

// parseCall reads the members of a request's object. What follows the object, and
// members of other names, are ignored.
func parseCall(text []byte) (out call, err error) {
	c := cursor{b: text}
	if c.peek() == 0 {
		return out, status.Invalid("JSON Parse error: The document is empty")
	}
	if c.peek() != '{' {
		return out, status.Invalid("Failed to parse the request: it is no JSON object")
	}
	err = c.members(func(name string) error {
		value, err := c.skip(1)
		switch name {
		case "signature_name":
			s := cursor{b: value}
			if out.signature, err = s.text(); err != nil {
				return status.Invalid("'signature_name' key must be a string value.")
			}
		case "instances":
			out.instances = value
		case "inputs":
			out.inputs = value
		case "examples":
			out.examples = value
		case "context":
			out.context_ = value
		}
		return err
	})
	return out, err
}

// run answers a predict, classify or regress, and appends the reply to b.
func (h *rest) run(ctx context.Context, t target, text, b []byte) ([]byte, error) {
	u, err := h.m.Use(t.spec)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	return runBody(ctx, u, t, text, b)
}

// runBody runs the body of a request on a version, and appends the reply to b.
func runBody(ctx context.Context, u Use, t target, text, b []byte) ([]byte, error) {
	if t.verb == "predict" {
		if c, ok := quick(u.Model(), text); ok {
			outputs, err := u.Run(ctx, c.signature, c.inputs)
			if err != nil {
				return nil, err
			}
			return c.reply(b, outputs)
		}
	}
	request, err := parseCall(text)
	if err != nil {
		return nil, err
	}
	t.spec.Signature = request.signature
	if t.verb != "predict" {
		return infer(ctx, u, t, request, b)
	}
	key := t.spec.signature()
	if err := known(u.Model(), key, nil); err != nil {
		return nil, err
	}
	sig := u.Model().Signatures[key]
	var inputs map[string]*tensor.Tensor
	switch {
	case request.instances != nil && request.inputs != nil:
		return nil, status.Invalid("Not formatted correctly expecting only one of 'instances' and 'inputs' key in request.")
	case request.instances != nil:
		inputs, err = rows(sig, request.instances)
	case request.inputs != nil:
		inputs, err = columns(sig, request.inputs)
	default:
		err = status.Invalid("Missing 'inputs' or 'instances' key")
	}
	if err != nil {
		return nil, err
	}
	outputs, err := u.Run(ctx, key, inputs)
	if err != nil {
		return nil, err
	}
	if request.instances != nil {
		return appendRows(b, outputs)
	}
	return appendColumns(b, outputs)
}

// columns reads inputs as a whole.
func columns(sig model.Signature, text []byte) (map[string]*tensor.Tensor, error) {
	c := cursor{b: text}
	inputs := map[string]*tensor.Tensor{}
	one := func(name string, value []byte) error {
		col, err := columnOf(sig.Inputs[name].DType)
		if err != nil {
			return err
		}
		dims, err := col.read(value)
		if err == nil {
			inputs[name], err = col.tensor(dims)
		}
		return within(name, err)
	}
	if len(sig.Inputs) == 1 && (c.peek() != '{' || isBase64(text)) {
		for name := range sig.Inputs {
			return inputs, one(name, text)
		}
	}
	if c.peek() != '{' {
		return nil, status.Invalid("'inputs' is a plain value/list, but expecting an object as there are multiple named inputs defined in signature.")
	}
	err := c.members(func(name string) error {
		value, err := c.skip(2)
		if _, ok := sig.Inputs[name]; !ok || err != nil {
			return err // more than the signature has is ignored
		}
		return one(name, value)
	})
	if err != nil {
		return nil, err
	}
	for _, name := range sorted.Keys(sig.Inputs) {
		if inputs[name] == nil && sig.Defaults[name] == nil {
			return nil, status.Invalid("Missing named input: %s in 'inputs' object.", name)
		}
	}
	return inputs, nil
}

// rows reads inputs item by item, and stacks them along a new first axis.
func rows(sig model.Signature, text []byte) (map[string]*tensor.Tensor, error) {
	c := cursor{b: text}
	if c.peek() != '[' {
		return nil, status.Invalid("Expecting 'instances' value to be an array/list")
	}
	if len(sig.Inputs) == 1 {
		name := sorted.Keys(sig.Inputs)[0]
		if first := (cursor{b: text, i: c.i + 1}); first.peek() != '{' || isBase64(firstItem(text[c.i:])) {
			col, err := columnOf(sig.Inputs[name].DType)
			if err != nil {
				return nil, status.Invalid("%s", status.From(err).Message)
			}
			dims, err := col.read(text)
			if err != nil {
				return nil, within(name, err)
			}
			if dims[0] == 0 {
				return nil, status.Invalid("Expecting at least one instance in 'instances'")
			}
			t, err := col.tensor(dims)
			return map[string]*tensor.Tensor{name: t}, err
		}
	}
	type stack struct {
		column
		dims []int64
		n    int64
	}
	stacks := map[string]*stack{}
	for name, info := range sig.Inputs {
		col, err := columnOf(info.DType)
		if err != nil {
			return nil, status.Invalid("%s", status.From(err).Message)
		}
		stacks[name] = &stack{column: col}
	}
	n := int64(0)
	err := c.items(func(i int) error {
		if c.peek() != '{' {
			return status.Invalid("Encountered non-object instance %d: each must be an object with the inputs %s", i, names(sig.Inputs))
		}
		if err := c.members(func(name string) error {
			value, err := c.skip(3)
			if err != nil {
				return err
			}
			s := stacks[name]
			if s == nil {
				return status.Invalid("Failed to process element: %d of 'instances' list. Error: JSON Value has key not in signature: %s", i, name)
			}
			dims, err := s.read(value)
			if err != nil {
				return within(name, err)
			}
			switch {
			case s.n > n:
				return status.Invalid("instance %d has the input %s twice", i, name)
			case s.n < n:
				return status.Invalid("instance %d has the input %s, which instance 0 leaves to its default", i, name)
			}
			if s.n++; i == 0 {
				s.dims = dims
			} else if !equal(s.dims, dims) {
				return status.Invalid("Encountered instance %d whose input %s has the shape %v, where others have %v", i, name, dims, s.dims)
			}
			return nil
		}); err != nil {
			return err
		}
		n++
		for _, name := range sorted.Keys(stacks) {
			if s := stacks[name]; s.n != n && (s.n != 0 || sig.Defaults[name] == nil) {
				return status.Invalid("Failed to process element: %d of 'instances' list. Error: Missing named input: %s", i, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, status.Invalid("Expecting at least one instance in 'instances'")
	}
	inputs := map[string]*tensor.Tensor{}
	for name, s := range stacks {
		if s.n == 0 {
			continue // it has its default in all instances
		}
		if inputs[name], err = s.tensor(append([]int64{n}, s.dims...)); err != nil {
			return nil, within(name, err)
		}
	}
	return inputs, nil
}

// firstItem returns the text of a list's first item.
func firstItem(list []byte) []byte {
	c := cursor{b: list, i: 1}
	item, _ := c.skip(0)
	return item
}

func equal(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// within names the input that an error is about.
func within(name string, err error) error {
	if err == nil {
		return nil
	}
	e := *status.From(err)
	if !strings.Contains(e.Message, name) {
		e.Message = "input '" + name + "': " + e.Message
	}
	return &e
}
