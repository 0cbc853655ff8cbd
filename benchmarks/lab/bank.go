package main

import (
	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

// Of bank transaction: how many accounts there are, and the modulus of the numbers that choose them.
const (
	accounts     = 10
	choiceModulo = 1_000_003
)

// transfer is which account pays how much to which other, by a number; next is the next number.
func transfer(x int64) (from, to, amount, next int64) {
	from = x % accounts
	to = (from + 1 + x/accounts%(accounts-1)) % accounts
	return from, to, x / 100 % 1000, (x*7919 + 1) % choiceModulo
}

// worth adds up balances, each times its account's number.
func worth(balances []int64) (sum int64) {
	for k, b := range balances {
		sum += int64(k+1) * b
	}
	return sum
}

// In the graph the teller and the accounts are loops with a queue each. A message to an account is a
// number: what it is to pay and to whom, or what it is paid.
var bankTransaction = benchmark{
	name: "bank transaction", unit: "transfer",
	spec:  "A teller has n amounts transferred between 10 accounts, several at a time. It tells the account that pays, which takes the amount from its balance and sends it to the other, which adds it to its own and tells the teller. The balances, each times the number of its account, are added up in the end.",
	sizes: [3]int64{20, 500, 5_000},
	work:  plain,
	want: func(n int64) int64 {
		balances := make([]int64, accounts)
		x := int64(1)
		for range n {
			from, to, amount, next := transfer(x)
			balances[from] -= amount
			balances[to] += amount
			x = next
		}
		return worth(balances)
	},

	graph: func(s *op.Scope, n tf.Output) tf.Output {
		in, told := queues(s, accounts), queue(s, -1)
		hundred, thousand := int64(100), int64(1000)
		sent := process(s, n, []tf.Output{number(s, 1)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			x, all := v[0], number(s, accounts)
			from := op.FloorMod(s, x, all)
			more := op.FloorMod(s, op.FloorDiv(s, x, all), number(s, accounts-1))
			to := op.FloorMod(s, op.AddV2(s, op.AddV2(s, from, number(s, 1)), more), all)
			amount := op.FloorMod(s, op.FloorDiv(s, x, number(s, hundred)), number(s, thousand))
			message := op.AddV2(s, op.Mul(s, op.AddV2(s, to, number(s, 1)), number(s, thousand)), amount)
			next := op.FloorMod(s, op.AddV2(s, op.Mul(s, x, number(s, 7919)), number(s, 1)), number(s, choiceModulo))
			return []tf.Output{after(s, next, route(s, message, from, in).Op)}
		})
		done := process(s, n, []tf.Output{number(s, 0)}, func(s *op.Scope, _ tf.Output, v []tf.Output) []tf.Output {
			return []tf.Output{op.AddV2(s, v[0], take(s, told))}
		})
		out := append(append([]tf.Output(nil), in...), told)
		var balances []tf.Output
		for k := range int64(accounts) {
			end := put(s.WithControlDependencies(sent[0].Op, done[0].Op), in[k], number(s, -1))
			balance := server(s, in[k], []tf.Output{number(s, 0)}, func(s *op.Scope, m tf.Output, v []tf.Output) []tf.Output {
				amount, whose := op.FloorMod(s, m, number(s, thousand)), op.FloorDiv(s, m, number(s, thousand))
				pays := op.Less(s, number(s, 0), whose)
				change := unless(s, m, op.SelectV2(s, pays, op.Neg(s, amount), amount))
				// The other account is told, or the teller; in the end nobody.
				index := op.SelectV2(s, pays, op.Sub(s, whose, number(s, 1)), number(s, accounts))
				ended, on := op.Switch(s, op.AddV2(s, v[0], change), op.GreaterEqual(s, m, number(s, 0)))
				_, live := op.Switch(s, amount, op.GreaterEqual(s, m, number(s, 0)))
				sent := route(s, live, index, out)
				next, _ := op.Merge(s, []tf.Output{after(s, on, sent.Op), ended})
				return []tf.Output{next}
			})[0]
			balances = append(balances, op.Mul(s, after(s, balance, end), number(s, k+1)))
		}
		return op.AddN(s, balances)
	},
	goroutines: func(n int64) int64 {
		type message struct {
			amount int64
			to     chan message // nil: it is paid
		}
		in, told := make([]chan message, accounts), make(chan struct{}, 64)
		ends := make([]chan int64, accounts)
		for k := range in {
			// An account may be sending while others send to it, so that mailboxes have room.
			in[k], ends[k] = make(chan message, n+1), make(chan int64, 1)
			go func() {
				var balance int64
				for m := range in[k] {
					if m.to != nil {
						balance -= m.amount
						m.to <- message{amount: m.amount}
						continue
					}
					balance += m.amount
					told <- struct{}{}
				}
				ends[k] <- balance
			}()
		}
		go func() {
			x := int64(1)
			for range n {
				from, to, amount, next := transfer(x)
				in[from] <- message{amount, in[to]}
				x = next
			}
		}()
		for range n {
			<-told
		}
		balances := make([]int64, accounts)
		for k := range in {
			close(in[k])
			balances[k] = <-ends[k]
		}
		return worth(balances)
	},
	actors: func(s stage, n int64) int64 {
		type pay struct {
			amount int64
			to     address
		}
		type paid struct{ amount int64 }
		type done struct{}
		all := make([]address, accounts)
		balances := make([]int64, accounts)
		answer := make(chan int64, 1)
		var left int64
		teller := s.Spawn(func(c turn, m any) {
			if m == "open" {
				x := int64(1)
				for left = range n {
					from, to, amount, next := transfer(x)
					c.Send(all[from], pay{amount, all[to]})
					x = next
				}
				if left = n; n > 0 {
					return
				}
			} else {
				left--
			}
			if left == 0 {
				answer <- worth(balances)
			}
		})
		for k := range all {
			all[k] = s.Spawn(func(c turn, m any) {
				switch m := m.(type) {
				case pay:
					balances[k] -= m.amount
					c.Send(m.to, paid{m.amount})
				case paid:
					balances[k] += m.amount
					c.Send(teller, done{})
				}
			})
		}
		s.Send(teller, "open")
		return <-answer
	},
}
