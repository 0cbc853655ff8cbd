package image

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/registry"
)

func init() {
	registry.Define("NonMaxSuppression").
		Input("boxes: float").Input("scores: float").Input("max_output_size: int32").
		Output("selected_indices: int32").
		Attr("iou_threshold: float = 0.5").
		Doc(`Picks boxes by descending score, dropping those that overlap a better one too much.

boxes: One a row, two opposite corners y1, x1, y2, x2.
scores: The score of each box.
max_output_size: The most boxes to pick.
selected_indices: The rows of the picked boxes, best first.
iou_threshold: The overlap, as intersection over union, beyond which a box is dropped.`)
	registry.Define("NonMaxSuppressionV2").
		Input("boxes: T").Input("scores: T").Input("max_output_size: int32").
		Input("iou_threshold: T_threshold").Output("selected_indices: int32").
		Attr("T: {half, float} = DT_FLOAT").
		Attr("T_threshold: {half, float} = DT_FLOAT").
		Doc(`Picks boxes by descending score, dropping those that overlap a better one too much.

boxes: One a row, two opposite corners y1, x1, y2, x2.
scores: The score of each box.
max_output_size: The most boxes to pick.
iou_threshold: The overlap, as intersection over union, beyond which a box is dropped.
selected_indices: The rows of the picked boxes, best first.`)
	registry.Define("NonMaxSuppressionV3").
		Input("boxes: T").Input("scores: T").Input("max_output_size: int32").
		Input("iou_threshold: T_threshold").Input("score_threshold: T_threshold").
		Output("selected_indices: int32").
		Attr("T: {half, float} = DT_FLOAT").
		Attr("T_threshold: {half, float} = DT_FLOAT").
		Doc(`Picks boxes by descending score, dropping those of a low score or that overlap a better one too much.

boxes: One a row, two opposite corners y1, x1, y2, x2.
scores: The score of each box.
max_output_size: The most boxes to pick.
iou_threshold: The overlap, as intersection over union, beyond which a box is dropped.
score_threshold: The score up to which a box is dropped.
selected_indices: The rows of the picked boxes, best first.`)
	registry.Define("NonMaxSuppressionV4").
		Input("boxes: T").Input("scores: T").Input("max_output_size: int32").
		Input("iou_threshold: T_threshold").Input("score_threshold: T_threshold").
		Output("selected_indices: int32").Output("valid_outputs: int32").
		Attr("T: {half, float} = DT_FLOAT").
		Attr("T_threshold: {half, float} = DT_FLOAT").
		Attr("pad_to_max_output_size: bool = false").
		Doc(`Picks boxes as NonMaxSuppressionV3 does, and returns how many.

boxes: One a row, two opposite corners y1, x1, y2, x2.
scores: The score of each box.
max_output_size: The most boxes to pick.
iou_threshold: The overlap, as intersection over union, beyond which a box is dropped.
score_threshold: The score up to which a box is dropped.
selected_indices: The rows of the picked boxes, best first.
valid_outputs: The number of picked boxes.
pad_to_max_output_size: Whether selected_indices is filled up to max_output_size with zeros.`)
	registry.Define("NonMaxSuppressionV5").
		Input("boxes: T").Input("scores: T").Input("max_output_size: int32").Input("iou_threshold: T").
		Input("score_threshold: T").Input("soft_nms_sigma: T").Output("selected_indices: int32").
		Output("selected_scores: T").Output("valid_outputs: int32").
		Attr("T: {half, float} = DT_FLOAT").
		Attr("pad_to_max_output_size: bool = false").
		Doc(`Picks boxes by descending score, lowering the scores of those that overlap a better one (soft-NMS).

boxes: One a row, two opposite corners y1, x1, y2, x2.
scores: The score of each box.
max_output_size: The most boxes to pick.
iou_threshold: The overlap, as intersection over union, beyond which a box is dropped.
score_threshold: The score up to which a box is dropped.
soft_nms_sigma: The width of the Gaussian that lowers scores; 0 drops overlapping boxes outright.
selected_indices: The rows of the picked boxes, best first.
selected_scores: Their scores after lowering.
valid_outputs: The number of picked boxes.
pad_to_max_output_size: Whether outputs are filled up to max_output_size with zeros.`)
	registry.Define("CombinedNonMaxSuppression").
		Input("boxes: float").Input("scores: float").Input("max_output_size_per_class: int32").
		Input("max_total_size: int32").Input("iou_threshold: float").Input("score_threshold: float").
		Output("nmsed_boxes: float").Output("nmsed_scores: float").Output("nmsed_classes: float").
		Output("valid_detections: int32").
		Attr("pad_per_class: bool = false").
		Attr("clip_boxes: bool = true").
		Doc(`Picks the best boxes of each class and then of all classes, for a batch of images.

boxes: Batch, boxes, classes (or 1 for the same boxes in every class) and 4 coordinates.
scores: Batch, boxes and classes.
max_output_size_per_class: The most boxes of one class.
max_total_size: The most boxes of one image.
iou_threshold: The overlap, as intersection over union, beyond which a box is dropped.
score_threshold: The score up to which a box is dropped.
nmsed_boxes: The picked boxes, filled up with zeros.
nmsed_scores: Their scores.
nmsed_classes: Their classes.
valid_detections: How many were picked for each image.
pad_per_class: Whether outputs are sized by max_output_size_per_class times classes where that is less than max_total_size.
clip_boxes: Whether coordinates are clipped to [0, 1].`)

	gradient.None("NonMaxSuppression", "NonMaxSuppressionV2")
}
