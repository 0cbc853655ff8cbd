// Package hostile holds graphs of a few hundred bytes to a few megabytes that try to
// crash the process that runs them, to exceed the session's memory limit, or to run
// past their deadline. Each is run in a process of its own and must come back as an
// error, or an answer, within its limits.
package hostile
