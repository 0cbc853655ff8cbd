// Package troupe runs TensorFlow graphs in Go, without cgo or shared libraries.
//
//	model, err := tf.LoadSavedModel("my_model", []string{"serve"}, nil)
//	…
//	out, err := model.Run(ctx, "serving_default", map[string]*tf.Tensor{"x": x})
//
// It is package session under the names of TensorFlow's Go binding, with all
// operations linked, so that a program written for the binding moves by changing its
// import:
//
//	import tf "github.com/troupe-go/troupe"
//
// A program that needs a smaller binary imports package session and the families of
// operations that its graphs use instead. docs/binding.md lists, name by name, what is
// the same as in the binding, what differs, and what is new.
package troupe
