package op

import (
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Const adds a constant: a *tf.Tensor, or a Go value that tf.NewTensor accepts.
func Const(scope *Scope, value any) (output tf.Output) {
	if scope.Err() != nil {
		return
	}
	t, ok := value.(*tf.Tensor)
	if !ok {
		var err error
		if t, err = tf.NewTensor(value); err != nil {
			scope.UpdateErr("Const", err)
			return
		}
	}
	if t == nil {
		scope.UpdateErr("Const", status.Invalid("the tensor is nil"))
		return
	}
	op := scope.AddOperation(tf.OpSpec{
		Type:  "Const",
		Attrs: map[string]any{"dtype": t.DataType(), "value": t},
	})
	return op.Output(0)
}
