// Package layers builds networks of layers, by the names and defaults of Keras, and
// trains them.
package layers
