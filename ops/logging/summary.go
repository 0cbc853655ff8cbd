package logging

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("ScalarSummary").
		Input("tags: string").Input("values: T").Output("summary: string").
		Attr("T: realnumbertype").
		Doc(`Makes a serialized summary of scalars.

tags: The tag of each value.
values: Scalars, in the shape of tags.`)
	registry.Define("HistogramSummary").
		Input("tag: string").Input("values: T").Output("summary: string").
		Attr("T: realnumbertype = DT_FLOAT").
		Doc(`Makes a serialized summary of the distribution of values.

tag: What it is shown under.
values: Any number of finite values.`)
	registry.Define("TensorSummary").
		Input("tensor: T").Output("summary: string").
		Traits(registry.Scalar | registry.Total).
		Attr("T: type").
		Attr("description: string = ''").
		Attr("labels: list(string) = []").
		Attr("display_name: string = ''").
		Doc(`Makes a serialized summary of a tensor.

description: Serialized metadata.
labels: Ignored.
display_name: Ignored.`)
	registry.Define("TensorSummaryV2").
		Input("tag: string").Input("tensor: T").Input("serialized_summary_metadata: string").
		Output("summary: string").
		Attr("T: type").
		Doc(`Makes a serialized summary of a tensor under a tag.

tag: What it is shown under.
serialized_summary_metadata: A serialized SummaryMetadata, which says how it is shown.`)
	registry.Define("AudioSummaryV2").
		Input("tag: string").Input("tensor: float").Input("sample_rate: float").Output("summary: string").
		Attr("max_outputs: int >= 1 = 3").
		Doc(`Makes a serialized summary of sounds.

tag: What they are shown under.
tensor: Batch, frames and perhaps channels, in [-1, 1].
sample_rate: Frames a second.
max_outputs: The most sounds to show.`)
	registry.Define("AudioSummary").
		Input("tag: string").Input("tensor: float").Output("summary: string").
		Attr("sample_rate: float").
		Attr("max_outputs: int >= 1 = 3").
		Deprecated(15, "Use AudioSummaryV2").
		Doc(`Makes a serialized summary of sounds.

tag: What they are shown under.
tensor: As in AudioSummaryV2.
sample_rate: Frames a second.
max_outputs: The most sounds to show.`)
	registry.Define("ImageSummary").
		Input("tag: string").Input("tensor: T").Output("summary: string").
		Attr("max_images: int >= 1 = 3").
		Attr("T: {uint8, float, half, double} = DT_FLOAT").
		Attr("bad_color: tensor = Tensor<type: uint8 shape: [4] values: 255 0 0 255>").
		Doc(`Makes a serialized summary of images.

Those of floating-point numbers are scaled into bytes: by their largest number if none is negative, else such that 0 becomes 128.

tag: What they are shown under.
tensor: Batch, height, width and 1, 3 or 4 channels.
max_images: The most images to show.
bad_color: The color of pixels that are not finite.`)
	registry.Define("MergeSummary").
		Input("inputs: N * string").Output("summary: string").
		Attr("N: int >= 1").
		Doc(`Joins serialized summaries, in which each tag may occur once.

inputs: The summaries.`)

	gradient.None("AudioSummary", "AudioSummaryV2", "ImageSummary", "HistogramSummary", "MergeSummary", "ScalarSummary", "TensorSummary", "TensorSummaryV2")
}
