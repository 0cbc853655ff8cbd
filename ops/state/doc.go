// Package state defines the operations on variables, of both kinds: those that
// nodes refer to by reference (VariableV2) and those they refer to by a
// resource handle (VarHandleOp).
//
// A variable lives in the session's resources, under its container and name,
// from its first assignment on; kernels hold no state. A tensor that somebody
// has read is never written: an update of a variable that was read since its
// last update copies it first. (TensorFlow's reference variables share their
// memory with who read them, so that a read before an update may show the
// update. Here it never does.) Every update is atomic, whatever use_locking
// says.
//
// A step that fails keeps the effects it has had. Updates of several rows that
// fail at a bad index have updated the rows before it.
//
// Programs import it for its effect, which is to register these operations.
package state
