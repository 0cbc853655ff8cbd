// Package image holds the operations on images: resizing, colors, boxes, and
// the formats of files. A batch of images is [batch, height, width, channels].
//
// Programs import it for its effect, which is to register these operations.
package image
