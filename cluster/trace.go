package cluster

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// spanBytes is the size of a span that a message carries: the trace, the span, and its flags.
const spanBytes = 16 + 8 + 1

// spanOf returns ctx's span for a message; nil if it has none.
func spanOf(ctx context.Context) []byte {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsValid() {
		return nil
	}
	t, id := s.TraceID(), s.SpanID()
	return append(append(append(make([]byte, 0, spanBytes), t[:]...), id[:]...), byte(s.TraceFlags()))
}

// within returns ctx with the span that a message carried.
func within(ctx context.Context, span []byte) context.Context {
	if len(span) != spanBytes {
		return ctx
	}
	var c trace.SpanContextConfig
	copy(c.TraceID[:], span)
	copy(c.SpanID[:], span[16:])
	c.TraceFlags, c.Remote = trace.TraceFlags(span[24]), true
	return trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(c))
}

// span begins the span of a step, or of a part of it; the function ends it.
func (r *running) span(ctx context.Context, name string, kind trace.SpanKind, more ...attribute.KeyValue) (context.Context, func(error)) {
	if r.w.options.Tracer == nil {
		return ctx, func(error) {}
	}
	ctx, s := r.w.options.Tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(
		attribute.String("worker", r.w.Name()), attribute.String("master", r.id.Master.String()), attribute.Int64("session", int64(r.id.Number)), attribute.Int64("step", int64(r.id.Step)),
	), trace.WithAttributes(more...))
	return ctx, func(err error) {
		if err != nil {
			s.SetStatus(codes.Error, plain.Line(err.Error()))
			s.SetAttributes(attribute.String("code", status.CodeOf(err).String()))
		}
		s.End()
	}
}
