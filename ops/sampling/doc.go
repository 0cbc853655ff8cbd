// Package sampling holds the operations that draw candidate classes for losses
// over very many classes.
//
// Programs import it for its effect, which is to register these operations.
package sampling
