package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// route puts a number into the queue that an index names, and returns the number when it is there:
// a Switch for each queue, of which one lets it pass.
func route(s *op.Scope, x, index tf.Output, queues []tf.Output) tf.Output {
	sent := make([]tf.Output, len(queues))
	for k, q := range queues {
		_, chosen := op.Switch(s, x, op.Equal(s, index, number(s, int64(k))))
		sent[k] = after(s, chosen, put(s, q, chosen))
	}
	out, _ := op.Merge(s, sent)
	return out
}

// server returns a loop that takes numbers from a queue until one is negative, and returns its
// variables then. The body is given what was taken; what it returns for a negative number counts,
// too.
func server(s *op.Scope, q tf.Output, vars []tf.Output, body func(s *op.Scope, x tf.Output, v []tf.Output) []tf.Output) []tf.Output {
	return op.While(s, append([]tf.Output{number(s, 0)}, vars...),
		func(s *op.Scope, v []tf.Output) tf.Output { return op.GreaterEqual(s, v[0], number(s, 0)) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			x := take(s, q)
			return append([]tf.Output{x}, body(s, x, v[1:])...)
		}, op.WhileParallelIterations(1))[1:]
}

// unless is v, or 0 where x is negative.
func unless(s *op.Scope, x, v tf.Output) tf.Output {
	return op.SelectV2(s, op.Less(s, x, number(s, 0)), number(s, 0), v)
}

// queues returns several.
func queues(s *op.Scope, n int) (list []tf.Output) {
	for range n {
		list = append(list, queue(s, -1))
	}
	return list
}
