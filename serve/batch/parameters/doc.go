// Package parameters has the message of TensorFlow Serving's batching parameters,
// generated from troupe/serving/batching.proto.
package parameters
