// Package hostile is generated for signatures whose names are hostile; it must compile.
package hostile
