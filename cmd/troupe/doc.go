// Command troupe runs, prints, checks, profiles and benchmarks TensorFlow graphs.
package main
