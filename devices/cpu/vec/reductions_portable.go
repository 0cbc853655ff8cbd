package vec

func sumOfPortable(x []float32) float32 {
	var l [partial]float32
	for ; len(x) >= partial; x = x[partial:] {
		for i, v := range x[:partial] {
			l[i] += v
		}
	}
	for i, v := range x {
		l[i] += v
	}
	for n := partial / 2; n > 0; n /= 2 {
		for i := range n {
			l[i] += l[i+n]
		}
	}
	return l[0]
}

func maxOfPortable(x []float32) float32 {
	l := [4]float32{-infinity, -infinity, -infinity, -infinity}
	for ; len(x) >= 4; x = x[4:] {
		l[0], l[1], l[2], l[3] = max(l[0], x[0]), max(l[1], x[1]), max(l[2], x[2]), max(l[3], x[3])
	}
	for i, v := range x {
		l[i] = max(l[i], v)
	}
	return max(l[0], l[1], l[2], l[3])
}

func minOfPortable(x []float32) float32 {
	l := [4]float32{infinity, infinity, infinity, infinity}
	for ; len(x) >= 4; x = x[4:] {
		l[0], l[1], l[2], l[3] = min(l[0], x[0]), min(l[1], x[1]), min(l[2], x[2]), min(l[3], x[3])
	}
	for i, v := range x {
		l[i] = min(l[i], v)
	}
	return min(l[0], l[1], l[2], l[3])
}

func greatestOfPortable(x []float32) float32 {
	most := -infinity
	for _, v := range x {
		if v > most {
			most = v
		}
	}
	return most
}

func indexPortable(x []float32, s float32) int {
	for i, v := range x {
		if v == s {
			return i
		}
	}
	return len(x)
}
