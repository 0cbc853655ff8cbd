// Package sampling holds the operations that sample candidate classes for losses over
// very many classes.
//
// Programs import it for its effect, which is to register these operations.
package sampling
