package logging

import "github.com/troupe-go/troupe/shape"

func init() {
	shape.Register(shape.Scalars, "Timestamp",
		"ScalarSummary", "HistogramSummary", "TensorSummary", "TensorSummaryV2", "AudioSummary", "AudioSummaryV2", "ImageSummary", "MergeSummary")
}
