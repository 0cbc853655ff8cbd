// Package dynamic opens shared libraries when a program runs, without cgo: what
// drivers of accelerators are called through. A program that imports it is linked
// dynamically, so only drivers do, and programs import those if they want them.
package dynamic
