// Package files is the file system access of everything that a graph does: kernels
// that read, write and list files, and checkpoints. The paths in a graph come from
// its author, so a session says by a [Policy] which directories its graphs may read
// and write, and no kernel opens a file in another way.
//
// Errors have the codes and words of TensorFlow's file system where it has such
// an error ("path; No such file or directory", NOT_FOUND); what the policy does
// not permit is PERMISSION_DENIED, with the path and the option's name.
package files
