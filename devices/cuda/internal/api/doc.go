// Package api binds the functions of CUDA's libraries, which are loaded on first use.
// Package devices/cuda calls them, and package devices/cuda/simulated puts others in
// their place.
package api
