package image

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("DecodeImage").
		Input("contents: string").Output("image: dtype").
		Attr("channels: int = 0").
		Attr("dtype: {uint8, uint16, float} = DT_UINT8").
		Attr("expand_animations: bool = true").
		Doc(`Decodes a JPEG, PNG, GIF or BMP image.

contents: The bytes of the file.
image: Height, width and channels; for a GIF there may be a first dimension of frames.
channels: How many channels to make; 0 for as many as the file has.
dtype: The type of a channel; wider types are scaled up.
expand_animations: Whether all frames of a GIF are decoded, in 4 dimensions, or the first, in 3.`)
	registry.Define("DecodeJpeg").
		Input("contents: string").Output("image: uint8").
		Attr("channels: int = 0").
		Attr("ratio: int = 1").
		Attr("fancy_upscaling: bool = true").
		Attr("try_recover_truncated: bool = false").
		Attr("acceptable_fraction: float = 1").
		Attr("dct_method: string = ''").
		Doc(`Decodes a JPEG image.

contents: The bytes of the file.
channels: 0 for what the file has, 1 for gray, 3 for RGB.
ratio: By how much to scale down: 1, 2, 4 or 8.
fancy_upscaling: Whether color is interpolated smoothly.
try_recover_truncated: Whether the readable part of a truncated file is returned.
acceptable_fraction: The least part of lines that has to be there.
dct_method: "INTEGER_FAST" or "INTEGER_ACCURATE"; empty for the decoder's choice.`)
	registry.Define("DecodePng").
		Input("contents: string").Output("image: dtype").
		Attr("channels: int = 0").
		Attr("dtype: {uint8, uint16} = DT_UINT8").
		Doc(`Decodes a PNG image.

contents: The bytes of the file.
channels: 0 for what the file has, 1 for gray, 3 for RGB, 4 for RGBA.
dtype: The type of a channel; wider types are scaled up.`)
	registry.Define("EncodePng").
		Input("image: T").Output("contents: string").
		Attr("compression: int = -1").
		Attr("T: {uint8, uint16} = DT_UINT8").
		Doc(`Encodes images as PNG.

image: Height, width and 1 to 4 channels, perhaps after other dimensions; each image becomes one string.
compression: From 0, none, to 9; -1 for the encoder's default.`)
}
