// Package nn holds the operations of neural networks: activations, softmax and
// losses, convolutions, pooling, normalization and recurrent cells.
//
// Images are batch, height, width and channels ("NHWC"), or batch, channels,
// height and width ("NCHW") where the data format says so; strides, windows and
// dilations have an entry for each of these dimensions.
//
// Programs import it for its effect, which is to register these operations.
package nn
