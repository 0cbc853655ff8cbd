// Package shapes is generated for a model of the tests.
package shapes
