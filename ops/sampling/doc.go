// Package sampling holds the operations that draw candidate classes for losses over
// very many classes.
package sampling
