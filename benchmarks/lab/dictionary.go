package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of the concurrent dictionary: how many workers there are, keys of each, and the modulus of values.
const (
	dictionaryWorkers = 8
	ownKeys           = 8
	valueModulo       = 1_000_003
)

// request is what worker w asks of the dictionary: a key of its own, and whether it sets its value,
// which is x.
func request(w, x int64) (key int64, write bool) {
	return w*ownKeys + x%ownKeys, x%10 != 0
}

// reply is a worker's next number, after what the dictionary had for the key.
func reply(w, x, had int64) int64 { return (3*x + had + w + 1) % valueModulo }

// In the graph the dictionary is a hash table of the step's, for which all workers' loops wait in
// turn; there is no process for it.
var concurrentDictionary = benchmark{
	name: "concurrent dictionary", unit: "request",
	spec:  "8 workers make n requests each of one dictionary: to read the value of a key, or, nine times in ten, to replace it, which returns what was there before. The reply decides the worker's next request. Workers have keys of their own. Their last numbers are added up.",
	sizes: [3]int64{10, 100, 1_000},
	work:  func(n int64) int64 { return n * dictionaryWorkers },
	want: func(n int64) (sum int64) {
		values := map[int64]int64{}
		for w := range int64(dictionaryWorkers) {
			x := w
			for range n {
				key, write := request(w, x)
				had := values[key]
				if write {
					values[key] = x
				}
				x = reply(w, x, had)
			}
			sum += x
		}
		return sum
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		table := op.MutableHashTableV2(s, tf.Int64, tf.Int64)
		all := op.Range(s, number(s, 0), number(s, dictionaryWorkers*ownKeys), number(s, 1))
		empty := op.LookupTableInsertV2(s, table, all, op.ZerosLike(s, all)) // as runs of a session share the table
		var last []tf.Output
		for w := range int64(dictionaryWorkers) {
			last = append(last, process(s, n, []tf.Output{after(s, number(s, w), empty)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
				x, zero := v[0], number(s, 0)
				key := op.AddV2(s, number(s, w*ownKeys), op.FloorMod(s, x, number(s, ownKeys)))
				had := op.LookupTableFindV2(s, table, key, zero)
				write := op.NotEqual(s, op.FloorMod(s, x, number(s, 10)), zero)
				set := op.LookupTableInsertV2(s, table, key, op.SelectV2(s, write, x, had))
				next := op.AddV2(s, op.AddV2(s, op.Mul(s, x, number(s, 3)), had), number(s, w+1))
				return []tf.Output{after(s, op.FloorMod(s, next, number(s, valueModulo)), set)}
			})[0])
		}
		return op.AddN(s, last)
	},
	goroutines: func(n int64) (sum int64) {
		type ask struct {
			key, value int64
			write      bool
			reply      chan int64
		}
		asks, last := make(chan ask), make(chan int64, dictionaryWorkers)
		go func() {
			values := map[int64]int64{}
			for a := range asks {
				had := values[a.key]
				if a.write {
					values[a.key] = a.value
				}
				a.reply <- had
			}
		}()
		for w := range int64(dictionaryWorkers) {
			go func() {
				x, replies := w, make(chan int64, 1)
				for range n {
					key, write := request(w, x)
					asks <- ask{key, x, write, replies}
					x = reply(w, x, <-replies)
				}
				last <- x
			}()
		}
		for range dictionaryWorkers {
			sum += <-last
		}
		close(asks)
		return sum
	},
	actors: func(s stage, n int64) (sum int64) {
		type ask struct {
			key, value int64
			write      bool
			from       address
		}
		type begin struct{}
		last := make(chan int64, dictionaryWorkers)
		values := map[int64]int64{}
		dictionary := s.Spawn(func(c turn, m any) {
			a := m.(ask)
			had := values[a.key]
			if a.write {
				values[a.key] = a.value
			}
			c.Send(a.from, had)
		})
		for w := range int64(dictionaryWorkers) {
			x, seen := w, int64(0)
			worker := s.Spawn(func(c turn, m any) {
				if had, ok := m.(int64); ok {
					x = reply(w, x, had)
					seen++
				}
				if seen == n {
					last <- x
					return
				}
				key, write := request(w, x)
				c.Send(dictionary, ask{key, x, write, c.Self()})
			})
			s.Send(worker, begin{})
		}
		for range dictionaryWorkers {
			sum += <-last
		}
		return sum
	},
}
