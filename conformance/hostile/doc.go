// Package hostile holds graphs of a few hundred bytes to a few megabytes that
// try to end the process that runs them, to take more memory than its session
// may, or to run past its deadline. Each is run in a process of its own and must
// come back as an error, or an answer, within its limits.
package hostile
