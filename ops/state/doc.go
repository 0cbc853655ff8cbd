// Package state holds the operations on variables: the reference variables of
// TensorFlow 1, whose tokens pass the variable itself along, and resource
// variables, which are named by handles.
//
// Variables belong to a session and outlive its steps. What a step has read
// from a variable never changes under it: an assignment replaces the value
// where somebody may still hold it, and writes it in place where nobody does.
// Every operation on one variable is atomic, whatever its use_locking says.
package state
