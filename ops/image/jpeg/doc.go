// Package jpeg decodes JPEG files (ITU-T T.81) to the same bytes as TensorFlow's
// decoder, libjpeg-turbo.
//
//	m, err := jpeg.Open(file, jpeg.Options{Fancy: true})
//	pixels := make([]byte, m.Height*m.Width*m.Channels)
//	lines, err := m.Decode(ask, pixels)
//
// Which bytes a file stands for is not fixed by the standard: it leaves the inverse
// cosine transform, the interpolation of colors and what becomes of broken files to the
// decoder. This one uses the same integers at each of these:
//
//   - transforms: that of Arai, Agui and Nakajima (Trans. IEICE E71, 1988) with 8 bits
//     after the point, that of Loeffler, Ligtenberg and Moschytz (ICASSP 1989) with 13,
//     and the latter's reductions to 4, 2 and 1 samples, by which images are scaled down;
//   - colors: interpolated by triangles, where they have half of the samples, and
//     converted as in ITU-T T.871;
//   - files that end early: how far ahead bits are read decides how many lines there are.
//
// Sequential and progressive files with Huffman codes of 8 bits a sample are decoded, not
// those with arithmetic codes, of 12 bits, lossless or hierarchical ones.
//
// With [Options.Pool] the rows of a large image are read, transformed and painted by its
// workers side by side; the bytes are the same.
//
// A file is a claim: Open reads its head alone, and [Image.Memory] says what Decode will
// take before it takes it. Decode asks now and then whether to go on.
package jpeg
