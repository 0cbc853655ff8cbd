package op

import (
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Gradients adds the operations that compute the gradient of the sum of y with respect
// to each of x. dx, if given, is the gradient with respect to each of y; without it
// these are ones. The operations are named under "Gradients" in the scope's namespace,
// so there can be one call in a namespace.
//
// The scope may have neither control dependencies nor a device, and may not be inside a
// loop. The error is UNIMPLEMENTED in a program that does not link package gradients.
func Gradients(scope *Scope, y, x []tf.Output, dx ...tf.Output) (output []tf.Output) {
	if scope.Err() != nil {
		return nil
	}
	var err error
	switch {
	case len(scope.controls) > 0:
		err = status.Errorf(status.Unimplemented, "Gradients does not support control dependencies (Scope.WithControlDependencies)")
	case scope.device != "":
		err = status.Errorf(status.Unimplemented, "Gradients does not support a device (Scope.WithDevice)")
	case scope.region != nil:
		err = status.Errorf(status.Unimplemented, "Gradients cannot be used inside a loop")
	default:
		output, err = scope.graph.AddGradients(join(scope.namespace, "Gradients"), y, x, dx)
	}
	if err != nil {
		scope.UpdateErr("Gradients", err)
		return nil
	}
	return output
}
