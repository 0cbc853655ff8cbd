// Package image holds the operations on images: resizing, colors, boxes, and
// the formats of files. A batch of images is [batch, height, width, channels].
package image
