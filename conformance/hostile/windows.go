package hostile

import "github.com/troupe-go/troupe/op"

// Kernels whose windows are far larger than what they slide over.
func windows() []Attack {
	return []Attack{
		{"window_max_pool", func(b *builder) {
			b.fetch(op.MaxPool(b.Scope, b.zeros(1, 2000, 2000, 1), []int64{1, 1999, 1999, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_avg_pool", func(b *builder) {
			b.fetch(op.AvgPool(b.Scope, b.zeros(1, 2000, 2000, 1), []int64{1, 1999, 1999, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_max_pool_grad", func(b *builder) {
			x := b.zeros(1, 2000, 2000, 1)
			b.fetch(op.MaxPoolGrad(b.Scope, x, x, x, []int64{1, 1999, 1999, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_max_pool_grad_grad", func(b *builder) {
			x := b.zeros(1, 2000, 2000, 1)
			b.fetch(op.MaxPoolGradGrad(b.Scope, x, x, x, []int64{1, 1999, 1999, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_max_pool_with_argmax", func(b *builder) {
			out, _ := op.MaxPoolWithArgmax(b.Scope, b.zeros(1, 2000, 2000, 1), []int64{1, 1999, 1999, 1}, []int64{1, 1, 1, 1}, "SAME")
			b.fetch(out)
		}},
		{"window_avg_pool_grad", func(b *builder) {
			b.fetch(op.AvgPoolGrad(b.Scope, b.konst([]int32{1, 2000, 2000, 1}), b.zeros(1, 2000, 2000, 1), []int64{1, 1999, 1999, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_max_pool_3d_grad", func(b *builder) {
			x := b.zeros(1, 150, 150, 150, 1)
			b.fetch(op.MaxPool3DGrad(b.Scope, x, x, x, []int64{1, 149, 149, 149, 1}, []int64{1, 1, 1, 1, 1}, "SAME"))
		}},
		{"window_avg_pool_3d", func(b *builder) {
			x := b.zeros(1, 150, 150, 150, 1)
			b.fetch(op.AvgPool3D(b.Scope, x, []int64{1, 149, 149, 149, 1}, []int64{1, 1, 1, 1, 1}, "SAME"))
		}},
		{"window_lrn", func(b *builder) {
			b.fetch(op.LRN(b.Scope, b.zeros(1, 1, 4, 1<<20), op.LRNDepthRadius(1_000_000)))
		}},
		{"window_lrn_grad", func(b *builder) {
			x := b.zeros(1, 1, 4, 1<<20)
			b.fetch(op.LRNGrad(b.Scope, x, x, x, op.LRNGradDepthRadius(1_000_000)))
		}},
		{"window_dilation", func(b *builder) {
			b.fetch(op.Dilation2D(b.Scope, b.zeros(1, 1500, 1500, 1), b.zeros(1000, 1000, 1), []int64{1, 1, 1, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_dilation_grad", func(b *builder) {
			x, f := b.zeros(1, 1500, 1500, 1), b.zeros(1000, 1000, 1)
			b.fetch(op.Dilation2DBackpropFilter(b.Scope, x, f, x, []int64{1, 1, 1, 1}, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_conv", func(b *builder) {
			b.fetch(op.Conv2D(b.Scope, b.zeros(1, 1500, 1500, 1), b.zeros(1000, 1000, 1, 1), []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_conv_3d", func(b *builder) {
			b.fetch(op.Conv3D(b.Scope, b.zeros(1, 100, 100, 100, 1), b.zeros(90, 90, 90, 1, 1), []int64{1, 1, 1, 1, 1}, "SAME"))
		}},
		{"window_depthwise", func(b *builder) {
			b.fetch(op.DepthwiseConv2dNative(b.Scope, b.zeros(1, 1500, 1500, 1), b.zeros(1000, 1000, 1, 1), []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_conv_grad_filter", func(b *builder) {
			x := b.zeros(1, 1500, 1500, 1)
			b.fetch(op.Conv2DBackpropFilter(b.Scope, x, b.konst([]int32{1000, 1000, 1, 1}), x, []int64{1, 1, 1, 1}, "SAME"))
		}},
		{"window_resize_area", func(b *builder) {
			b.fetch(op.ResizeArea(b.Scope, b.zeros(1, 2000, 2000, 1), b.konst([]int32{2500, 2500})))
		}},
	}
}
