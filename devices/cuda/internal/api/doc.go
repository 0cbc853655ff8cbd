// Package api has the functions of CUDA's libraries, which it looks for when they are
// first asked for. Package devices/cuda calls them, and package devices/cuda/simulated
// puts others in their place.
package api
