// Package messages has the messages of the Open Inference Protocol, generated from
// troupe/inference/inference.proto.
package messages
