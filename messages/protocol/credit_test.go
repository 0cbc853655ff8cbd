package protocol

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// amount returns a credit as a fraction.
func amount(c Credit) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(c)))
}

// The shares of a credit are together what is shared.
func TestShares(t *testing.T) {
	for _, c := range []Credit{0, 1, 70} {
		for n := 1; n <= 130; n++ {
			sum := new(big.Rat)
			for i := range n {
				sum.Add(sum, amount(c.share(i, n)))
			}
			if sum.Cmp(amount(c)) != 0 {
				t.Errorf("%d shares of 2^-%d are %v together", n, c, sum)
			}
		}
	}
}

// A purse holds a unit when all of it has come back, whatever the order, and not
// before.
func TestPurse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const units = 3
		var out []Credit
		for range units {
			out = append(out, 0)
		}
		for range rng.IntN(60) {
			i, n := rng.IntN(len(out)), 1+rng.IntN(5)
			c := out[i]
			out[i] = c.share(0, n)
			for k := 1; k < n; k++ {
				out = append(out, c.share(k, n))
			}
		}
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		var p Purse
		sum := new(big.Rat)
		for _, c := range out {
			if p.Holds(units) {
				t.Fatal("the purse is full before all has come back")
			}
			p.Add(c)
			sum.Add(sum, amount(c))
			whole := new(big.Int).Quo(sum.Num(), sum.Denom()).Int64()
			if p.Units() != whole || p.Broken() == sum.IsInt() {
				t.Fatalf("the purse holds %s, and should %v", p.String(), sum)
			}
		}
		if !p.Holds(units) || p.Holds(units+1) || p.Broken() {
			t.Fatalf("the purse holds %s of %d units", p.String(), units)
		}
	}
}
