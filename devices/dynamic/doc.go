// Package dynamic loads shared libraries at run time, without cgo, for the drivers of
// accelerators. A program that imports it is linked dynamically, so only drivers do,
// and programs import those if they want them.
package dynamic
