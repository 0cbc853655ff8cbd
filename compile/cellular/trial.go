package cellular

import (
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// trials are the TensorArrays that a caller's loop may write to, in its own step after it has left the
// batch. If it fails there it begins again, so that they have to be what they were.
type trials []*resource.Trial

// try begins to note what is written to TensorArrays among these variables; false: there is one of
// which writes cannot be undone.
func (f *form) try(values []tensor.Value) (list trials, ok bool) {
	for i, v := range f.batch.Variables {
		if v.Role != batching.Kept || f.loop.types[i] != tensor.Resource {
			continue
		}
		a, err := resource.Held[*resource.TensorArray](&values[i])
		if err != nil {
			continue // another resource, which is only read
		}
		t := a.Try()
		if t == nil {
			list.keep()
			return nil, false
		}
		list = append(list, t)
	}
	return list, true
}

func (list trials) keep() {
	for _, t := range list {
		t.Keep()
	}
}

func (list trials) undo() {
	for _, t := range list {
		t.Undo()
	}
}
