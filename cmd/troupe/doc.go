// Command troupe runs TensorFlow graphs, shows them, checks recorded cases and
// measures. `troupe --help` says more.
package main
