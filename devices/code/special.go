package code

import "strings"

// Special functions, which neither language has. They are computed in double, as the CPU's
// kernels compute them and by the same series, fractions and expansions, which are explained
// there (package ops/math); a device without doubles has none of them.

// special are the functions, by name, each behind the names of those that it needs.
var special = map[string]struct{ needs, source string }{
	"digamma": {"", `HELPER f64 s_digamma(f64 x) {
  f64 y = 0.0, z, sub = 0.0;
  if (x != x || x == -INFINITE) return NONE;
  if (x == INFINITE) return x;
  if (x <= 0.0) {
    f64 part = x - trunc(x);
    if (part == 0.0) return NONE;
    sub = PI / tan(PI * part);
    x = 1.0 - x;
  }
  for (; x < 10.0; x += 1.0) y -= 1.0 / x;
  z = 1.0 / (x * x);
  return y + log(x) - 0.5 / x - z * (1.0 / 12.0 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z / 12.0)))))) - sub;
}
`},
	// W. Gautschi's start is S. Winitzki's: from the logarithm; Halley's method does the rest.
	"erfinv": {"", `HELPER f64 s_erfinv(f64 x) {
  f64 a = fabs(x), l, t, y;
  if (!(a <= 1.0)) return NONE;
  if (a == 1.0) return x * INFINITE;
  if (a < 1.0e-8) return x * 0.88622692545275801365;
  l = log1p(-a * a);
  t = 4.3307467508 + l / 2.0;
  y = sqrt(sqrt(t * t - l / 0.147) - t);
  for (i32 i = 0; i < 4; i++) {
    f64 off = a > 0.5 ? (1.0 - a) - erfc(y) : erf(y) - a, u = off / (1.12837916709551257390 * exp(-y * y));
    y -= u / (1.0 + y * u);
  }
  return x < 0.0 ? -y : y;
}
`},
	"ndtri": {"erfinv", `HELPER f64 s_ndtri(f64 p) {
  f64 sign = 1.0, l, t, x;
  if (p < 0.0) return NONE;
  if (p > 0.5) { sign = -1.0; p = 1.0 - p; }
  if (p < 0.0) return NONE;
  if (!(p > 0.0) || p > 0.1) return sign * 1.41421356237309504880 * s_erfinv(2.0 * p - 1.0);
  l = log(p);
  t = sqrt(-2.0 * l);
  x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (i32 i = 0; i < 3; i++) {
    f64 u = (erfc(-x / 1.41421356237309504880) / 2.0 / p - 1.0) * sqrt(2.0 * PI) * exp(x * x / 2.0 + l);
    x -= u / (1.0 + x * u / 2.0);
  }
  return sign * x;
}
`},
	"besseli": {"", `HELPER f64 s_besselie(i32 order, f64 x) {
  f64 a = fabs(x), sum = 1.0, term = 1.0, o = (f64)order;
  if (x != x) return x;
  if (a < 20.0) {
    for (f64 k = 1.0; term > sum * 5.6e-17; k += 1.0) { term *= x / 2.0 / k * (x / 2.0 / (k + o)); sum += term; }
    return (order ? x / 2.0 : 1.0) * sum * exp(-a);
  }
  for (f64 k = 1.0; k < 40.0 && fabs(term) > 5.6e-17; k += 1.0) {
    term *= -(4.0 * o * o - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * a * k);
    sum += term;
  }
  sum /= sqrt(2.0 * PI * a);
  return order && x < 0.0 ? -sum : sum;
}
HELPER f64 s_besseli(i32 order, f64 x) {
  f64 half_ = exp(fabs(x) / 2.0);
  if (x - x != 0.0 && x == x) return order && x < 0.0 ? -INFINITE : INFINITE;
  return s_besselie(order, x) * half_ * half_;
}
`},
	// J and Y: below 25 by J. Miller's recurrence, from far up, and C. Neumann's series (DLMF
	// 10.8.3 and 10.23.16), above by H. Hankel's expansion (DLMF 10.17.3).
	"besseljy": {"", `HELPER f64 s_besseljy(i32 order, i32 second, f64 x) {
  f64 a = fabs(x), sign = order && x < 0.0 ? -1.0 : 1.0;
  if (x != x) return x;
  if (second && x < 0.0) return -INFINITE;
  if (second && a == 0.0) return -INFINITE;
  if (a - a != 0.0) return 0.0;
  if (a < 1.0e-8) {
    if (!second) return order ? x / 2.0 : 1.0;
    return order ? -2.0 / (PI * a) : 2.0 / PI * (log(a / 2.0) + 0.57721566490153286061);
  }
  if (a < 25.0) {
    f64 above = 0.0, j = 1.0e-300, norm = 0.0, series = 0.0, j0 = 0.0, j1 = 0.0, l;
    for (i32 n = 2 * ((i32)a / 2 + 30); n > 0; n--) { // j is J of n, above that of n + 1
      f64 below = 2.0 * (f64)n / a * j - above;
      i32 m = n - 1;
      above = j; j = below;
      if (fabs(j) > 1.0e250) { above *= 1.0e-250; j *= 1.0e-250; norm *= 1.0e-250; series *= 1.0e-250; j1 *= 1.0e-250; }
      if (m == 1) j1 = j;
      if (m % 2 == 0) norm += m == 0 ? j : 2.0 * j;
      if (order == 0 && m % 2 == 0 && m > 0) series += (m / 2 % 2 ? -1.0 : 1.0) * j / (f64)(m / 2);
      if (order == 1 && m % 2 == 1 && m > 1) { f64 k = (f64)(m / 2); series += (m / 2 % 2 ? -1.0 : 1.0) * (2.0 * k + 1.0) / (k * (k + 1.0)) * j; }
    }
    j0 = j / norm; j1 /= norm; series /= norm;
    if (!second) return order ? sign * j1 : j0;
    l = log(a / 2.0) + 0.57721566490153286061;
    if (order == 0) return 2.0 / PI * l * j0 - 4.0 / PI * series;
    return -2.0 / (PI * a) * j0 + 2.0 / PI * (l - 1.0) * j1 - 4.0 / PI * series / 2.0;
  }
  {
    f64 p = 1.0, q = 0.0, term = 1.0, mu = order ? 4.0 : 0.0, s = sin(a), c = cos(a), sw, cw, r = sqrt(2.0 / (PI * a));
    for (i32 k = 1; k < 40; k++) {
      f64 next = term * (mu - (f64)((2 * k - 1) * (2 * k - 1))) / ((f64)k * 8.0 * a);
      if (fabs(next) > fabs(term) && k > 2) break;
      term = next;
      if (k % 2) q += (k / 2 % 2 ? -1.0 : 1.0) * term; else p += (k / 2 % 2 ? -1.0 : 1.0) * term;
      if (fabs(term) < 1.0e-18) break;
    }
    // of the angle less π/4, or less 3π/4
    cw = (order ? s - c : c + s) * 0.70710678118654752440;
    sw = (order ? -s - c : s - c) * 0.70710678118654752440;
    return second ? r * (p * sw + q * cw) : sign * r * (p * cw - q * sw);
  }
}
`},
	"besselk": {"", `HELPER f64 s_besselk(i32 order, i32 scaled, f64 x) {
  f64 h, sum = 0.5;
  if (x != x) return x;
  if (x <= 0.0) return INFINITE;
  if (x == INFINITE) return 0.0;
  if (x < 1.0) {
    f64 q = x * x / 4.0, l = log(x / 2.0), term = 1.0, d = -2.0 * 0.57721566490153286061 + (f64)order, i = 0.0, s = 0.0, y;
    for (f64 k = 1.0; k < 40.0; k += 1.0) {
      i += term; s += term * d;
      term *= q / (k * (k + (f64)order));
      d += 1.0 / k + 1.0 / (k + (f64)order);
    }
    y = order ? 1.0 / x + l * i * x / 2.0 - s * x / 4.0 : -l * i + s / 2.0;
    return scaled ? y * exp(x) : y;
  }
  h = 0.5 / sqrt(x);
  if (h > 0.125) h = 0.125;
  for (f64 t = h; ; t += h) {
    f64 s = sinh(t / 2.0), term = exp(-2.0 * x * s * s);
    if (order) term *= cosh(t);
    sum += term;
    if (term < sum * 1.4e-17) break;
  }
  sum *= h;
  return scaled ? sum : sum * exp(-x);
}
`},
	"dawson": {"", `HELPER f64 s_dawson(f64 x) {
  f64 a = fabs(x), n, rest, sum = 0.0;
  if (x != x) return x;
  if (a < 0.5) {
    f64 term = x;
    for (f64 k = 1.0; k < 60.0 && fabs(term) > 8.7e-19 * fabs(sum); k += 2.0) { sum += term; term *= -2.0 * x * x / (k + 2.0); }
    return sum;
  }
  if (a > 1.0e8) return 0.5 / x;
  n = 2.0 * floor(a / 0.4 + 0.5);
  rest = a - n * 0.2;
  for (f64 k = -31.0; k <= 31.0; k += 2.0) { f64 d = rest - k * 0.2; sum += exp(-d * d) / (n + k); }
  sum /= sqrt(PI);
  return x < 0.0 ? -sum : sum;
}
`},
	"expint": {"", `HELPER f64 s_expint(f64 x) {
  f64 sum, term, half_;
  if (x < 0.0 || x != x) return NONE;
  if (x == 0.0) return -INFINITE;
  if (x == INFINITE) return x;
  if (x < 40.0) {
    sum = 0.0; term = x;
    for (f64 k = 1.0; term > 1.4e-17 * sum * k; k += 1.0) { sum += term / k; term *= x / (k + 1.0); }
    return 0.57721566490153286061 + log(x) + sum;
  }
  sum = 1.0; term = 1.0;
  for (f64 k = 1.0; k < x && term > 1.4e-17; k += 1.0) { term *= k / x; sum += term; }
  half_ = exp(x / 2.0);
  return half_ * (sum / x) * half_;
}
`},
	"fresnel": {"", `HELPER f64 s_fresnel(i32 sine, f64 x) {
  f64 a = fabs(x), c = 0.0, s = 0.0, y;
  if (x != x) return x;
  if (a > 1.0e9) {
    c = 0.5; s = 0.5;
  } else if (a < 1.5) {
    f64 q = PI / 2.0 * a * a, term = a;
    for (i32 k = 0; k < 60 && term != 0.0; k++) {
      f64 part = term / (f64)(2 * k + 1);
      if (k % 4 == 0) c += part; else if (k % 4 == 1) s += part; else if (k % 4 == 2) c -= part; else s -= part;
      term *= q / (f64)(k + 1);
    }
  } else { // complex numbers as pairs
    f64 br = 1.0, bi = -PI * a * a, m = br * br + bi * bi, dr = br / m, di = -bi / m, fr = dr, fi = di, gr = 1.0e300, gi = 0.0;
    for (f64 n = 1.0; n < 400.0; n += 2.0) {
      f64 t = -n * (n + 1.0), er, ei, hr, hi, sr, si, u, big = fabs(gr) > fabs(gi) ? fabs(gr) : fabs(gi);
      br += 4.0;
      er = t * dr + br; ei = t * di + bi;
      m = er * er + ei * ei; dr = er / m; di = -ei / m;
      hr = gr / big; hi = gi / big; m = (hr * hr + hi * hi) * big;
      gr = br + t * hr / m; gi = bi - t * hi / m;
      sr = gr * dr - gi * di; si = gr * di + gi * dr;
      u = fr * sr - fi * si; fi = fr * si + fi * sr; fr = u;
      if (fabs(sr - 1.0) + fabs(si) < 1.0e-16) break;
    }
    {
      f64 angle = PI / 2.0 * fmod(a * a, 4.0), ca = cos(angle), sa = sin(angle), ur = ca * fr - sa * fi, ui = ca * fi + sa * fr;
      f64 vr = 1.0 - (ur * a + ui * a), vi = -(ui * a - ur * a);
      c = 0.5 * vr - 0.5 * vi; s = 0.5 * vi + 0.5 * vr;
    }
  }
  y = sine ? s : c;
  return x < 0.0 ? -y : y;
}
`},
	"spence": {"", `HELPER f64 s_dilogarithm(f64 z) {
  f64 sum = 0.0, power = z;
  for (f64 k = 1.0; power > 8.7e-19 * sum; k += 1.0) { sum += power / (k * k); power *= z; }
  return sum;
}
HELPER f64 s_spence(f64 x) {
  f64 limit = PI * PI / 6.0, l, rest;
  if (x < 0.0 || x != x) return NONE;
  if (x == 0.0) return limit;
  if (x == INFINITE) return -INFINITE;
  if (x < 0.5) return limit - log1p(-x) * log(x) - s_dilogarithm(x);
  if (x <= 1.0) return s_dilogarithm(1.0 - x);
  l = log(x);
  if (x <= 2.0) return -s_dilogarithm((x - 1.0) / x) - l * l / 2.0;
  l = log(x - 1.0); rest = log1p(-1.0 / x);
  return s_dilogarithm(1.0 / x) - limit + (rest * rest - l * l) / 2.0;
}
`},
	"zeta": {"", `HELPER f64 s_hurwitz(f64 x, f64 q) {
  const f64 b[12] = {1.0 / 12.0, -1.0 / 720.0, 1.0 / 30240.0, -1.0 / 1209600.0, 1.0 / 47900160.0, -691.0 / 1307674368000.0, 1.0 / 74724249600.0,
    -3617.0 / 10670622842880000.0, 43867.0 / 5109094217170944000.0, -174611.0 / 802857662698291200000.0, 77683.0 / 14101100039391805440000.0,
    -236364091.0 / 1693824136731743669452800000.0};
  f64 sum, term = 0.0, n = q, rising = 1.0;
  if (q == INFINITE) return 0.0;
  sum = pow(q, -x);
  for (i32 i = 0; i < 9 || n <= 9.0; i++) {
    n += 1.0;
    term = pow(n, -x);
    sum += term;
    if (term <= sum * 5.6e-17) return sum;
  }
  sum += term * n / (x - 1.0) - term / 2.0;
  for (i32 k = 0; k < 12; k++) {
    f64 t;
    rising *= x + (f64)(2 * k);
    term /= n;
    t = rising * term * b[k];
    sum += t;
    if (fabs(t) <= fabs(sum) * 5.6e-17) break;
    rising *= x + (f64)(2 * k + 1);
    term /= n;
  }
  return sum;
}
HELPER f64 s_zeta(f64 x, f64 q) {
  f64 sign = 1.0, part;
  if (x == 1.0) return INFINITE;
  if (!(x > 1.0) || q != q) return NONE;
  if (q > 0.0) return s_hurwitz(x, q);
  if (q == floor(q)) return fmod(x, 2.0) == 0.0 ? INFINITE : NONE;
  if (x != floor(x)) return NONE;
  if (fmod(x, 2.0) != 0.0) sign = -1.0;
  part = q - floor(q);
  return s_hurwitz(x, part) + sign * (s_hurwitz(x, 1.0 - part) - s_hurwitz(x, 1.0 - q));
}
`},
	"polygamma": {"zeta digamma", `HELPER f64 s_polygamma(f64 n, f64 x) {
  f64 y;
  if (n != floor(n) || n < 0.0 || n != n) return NONE;
  if (n == 0.0) return s_digamma(x);
  y = tgamma(n + 1.0) * s_zeta(n + 1.0, x);
  return fmod(n, 2.0) == 0.0 ? -y : y;
}
`},
	"poisson": {"", `HELPER f64 s_deviance(f64 u, f64 r) {
  f64 h, sum = 0.0, power;
  if (fabs(u) > 0.3) return u - log(r);
  h = u / (2.0 + u); power = h * h * h;
  for (f64 k = 3.0; k < 40.0; k += 2.0) { sum += power / k; power *= h * h; }
  return u * h - 2.0 * sum;
}
HELPER f64 s_stirling(f64 a) {
  f64 z = 1.0 / (a * a);
  if (a < 16.0) return lgamma(a + 1.0) - (a + 0.5) * log(a) + a - log(2.0 * PI) / 2.0;
  return (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z * (1.0 / 1188.0 - z * 691.0 / 360360.0))))) / a;
}
HELPER f64 s_poisson(f64 a, f64 x) { return exp(-a * s_deviance((x - a) / a, x / a) - s_stirling(a)) / sqrt(2.0 * PI * a); }
`},
	// what is 0 P(a, x), 1 Q(a, x), 2 the derivative of P by a
	"igamma": {"poisson digamma", `HELPER f64 s_igamma(i32 what, f64 a, f64 x) {
  f64 p, q, d, front, slope, sum = 1.0, dsum = 0.0;
  if (a <= 0.0 && x == 0.0) return what == 1 ? NONE : 0.0;
  if (!(a > 0.0 && x >= 0.0)) return NONE;
  if (a == INFINITE && x == INFINITE) return 0.0;
  if (x == 0.0 || a == INFINITE) return what == 1 ? 1.0 : 0.0;
  if (x == INFINITE) return what == 0 ? 1.0 : 0.0;
  if (a > 1.0e7) {
    f64 mu = (x - a) / a, h = s_deviance(mu, x / a), eta = mu < 0.0 ? -sqrt(2.0 * h) : sqrt(2.0 * h), density = exp(-a * h) / sqrt(2.0 * PI * a), c0 = -1.0 / 3.0, ratio = 1.0, rest;
    if (fabs(eta) > 1.0e-3) { c0 = 1.0 / mu - 1.0 / eta; ratio = mu / eta; }
    else { c0 += eta * (1.0 / 12.0 - eta * (2.0 / 135.0 - eta / 864.0)); ratio += eta * (1.0 / 3.0 + eta / 36.0); }
    rest = density * c0;
    if (what == 0) return erfc(-eta * sqrt(a / 2.0)) / 2.0 - rest;
    if (what == 1) return erfc(eta * sqrt(a / 2.0)) / 2.0 + rest;
    return density == 0.0 ? 0.0 : density * (eta / 2.0 - ratio) - rest * log1p(mu);
  }
  front = s_poisson(a, x);
  slope = log(x) - s_digamma(a + 1.0);
  if (x <= 1.0 || x <= a) {
    f64 term = 1.0, dterm = 0.0;
    for (f64 n = a + 1.0; ; n += 1.0) {
      dterm = (dterm - term / n) * x / n;
      term *= x / n;
      sum += term; dsum += dterm;
      if (term <= sum * 5.6e-17 && fabs(dterm) <= fabs(dsum) * 5.6e-17) break;
    }
    p = front * sum;
    if (p > 1.0) p = 1.0;
    q = 1.0 - p;
    if (p > 0.5 && a < 1.0 && x <= 1.0) {
      const f64 z[19] = {1.6449340668482264, 1.2020569031595943, 1.0823232337111382, 1.0369277551433699, 1.0173430619844491, 1.0083492773819228, 1.0040773561979443,
        1.0020083928260822, 1.0009945751278181, 1.0004941886041195, 1.0002460865533080, 1.0001227133475785, 1.0000612481350587, 1.0000305882363070,
        1.0000152822594086, 1.0000076371976379, 1.0000038172932650, 1.0000019082127166, 1.0000009539620339};
      f64 s = 0.0, t = 1.0, l;
      for (f64 n = 1.0; n < 30.0; n += 1.0) { t *= -x / n; s += t / (a + n); }
      if (a > 0.2) {
        l = lgamma(1.0 + a);
      } else {
        f64 power = -a;
        l = -0.57721566490153286061 * a;
        for (i32 n = 2; n < 21; n++) { power *= -a; l += z[n - 2] * power / (f64)n; }
      }
      l = a * log(x) - l;
      q = -expm1(l) - exp(l) * a * s;
    }
    d = front * (slope * sum + dsum);
  } else {
    f64 y = 1.0 - a, z = x + 2.0 - a, p0 = 1.0, q0 = x, p1 = x + 1.0, q1 = z * x, dp0 = 0.0, dq0 = 0.0, dp1 = 0.0, dq1 = -x, f, df;
    if (!(front > 0.0)) return what == 0 ? 1.0 : 0.0;
    f = p1 / q1; df = -p1 * dq1 / (q1 * q1);
    for (f64 c = 1.0; c < 1.0e5; c += 1.0) {
      f64 yc, pp, qq, dp, dq;
      y += 1.0; z += 2.0; yc = y * c;
      pp = p1 * z - p0 * yc; qq = q1 * z - q0 * yc;
      dp = dp1 * z - p1 - dp0 * yc + p0 * c; dq = dq1 * z - q1 - dq0 * yc + q0 * c;
      p0 = p1; q0 = q1; p1 = pp; q1 = qq;
      dp0 = dp1; dq0 = dq1; dp1 = dp; dq1 = dq;
      if (qq != 0.0) {
        f64 g = pp / qq, dg = (dp - pp / qq * dq) / qq;
        i32 done = fabs(g - f) <= 1.2e-16 * fabs(g) && fabs(dg - df) <= 1.2e-16 * fabs(dg);
        f = g; df = dg;
        if (done) break;
      }
      if (fabs(pp) > 1.0e90) {
        p0 *= 1.0e-90; q0 *= 1.0e-90; p1 *= 1.0e-90; q1 *= 1.0e-90;
        dp0 *= 1.0e-90; dq0 *= 1.0e-90; dp1 *= 1.0e-90; dq1 *= 1.0e-90;
      }
    }
    q = front * a * f;
    if (q > 1.0) q = 1.0;
    p = 1.0 - q;
    d = -front * (a * slope * f + f + a * df);
  }
  return what == 0 ? p : what == 1 ? q : d;
}
`},
	"gammadraw": {"igamma", `HELPER f64 s_gammadraw(f64 a, f64 x) {
  f64 d = s_igamma(2, a, x), density;
  if (d != d) return d;
  if (x == 0.0 || a == INFINITE || x == INFINITE) return 0.0;
  density = a * s_poisson(a, x) / x;
  return density == 0.0 ? 0.0 : -d / density;
}
`},
	"betainc": {"poisson", `HELPER f64 s_from0(f64 v) { return fabs(v) < 1.0e-300 ? 1.0e-300 : v; }
HELPER f64 s_betafraction(f64 a, f64 b, f64 x) {
  f64 c = 1.0, d = 1.0 / s_from0(1.0 - (a + b) * x / (a + 1.0)), f = d;
  for (f64 m = 1.0; m < 1.0e5; m += 1.0) {
    f64 t = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
    d = 1.0 / s_from0(1.0 + t * d); c = s_from0(1.0 + t / c); f *= c * d;
    t = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
    d = 1.0 / s_from0(1.0 + t * d); c = s_from0(1.0 + t / c); f *= c * d;
    if (fabs(c * d - 1.0) < 2.3e-16) break;
  }
  return f;
}
HELPER f64 s_betainc(f64 a, f64 b, f64 x) {
  f64 n = a + b, y = 1.0 - x, d = b * x - a * y, front, r;
  if (!(a > 0.0 && b > 0.0 && 0.0 <= x && x <= 1.0)) return NONE;
  if (x == 0.0 || x == 1.0) return x;
  if (a == INFINITE || b == INFINITE) return NONE;
  front = exp(-a * s_deviance(d / a, n * x / a) - b * s_deviance(-d / b, n * y / b) - s_stirling(a) - s_stirling(b) + s_stirling(n)) * sqrt(a / n) * sqrt(b) / sqrt(2.0 * PI);
  if (x < (a + 1.0) / (n + 2.0)) { r = front * s_betafraction(a, b, x) / a; return r > 1.0 ? 1.0 : r; }
  r = 1.0 - front * s_betafraction(b, a, y) / b;
  return r < 0.0 ? 0.0 : r;
}
`},
}

// specialOf are the functions that formulas of operations are made of.
var specialOf = map[string]string{
	"Digamma": "digamma", "Erfinv": "erfinv", "Ndtri": "ndtri",
	"BesselI0": "besseli", "BesselI1": "besseli", "BesselI0e": "besseli", "BesselI1e": "besseli",
	"BesselJ0": "besseljy", "BesselJ1": "besseljy", "BesselY0": "besseljy", "BesselY1": "besseljy",
	"BesselK0": "besselk", "BesselK1": "besselk", "BesselK0e": "besselk", "BesselK1e": "besselk",
	"Dawsn": "dawson", "Expint": "expint", "FresnelCos": "fresnel", "FresnelSin": "fresnel", "Spence": "spence",
	"Zeta": "zeta", "Polygamma": "polygamma", "Igamma": "igamma", "Igammac": "igamma", "IgammaGradA": "igamma", "RandomGammaGrad": "gammadraw",
	"Betainc": "betainc",
}

const specialPrelude = "#define PI 3.14159265358979323846\n#define INFINITE ((f64)AS_F32(0x7f800000u))\n#define NONE ((f64)AS_F32(0x7fc00000u))\n"

// specials returns the source of the special functions that operations need, each once, and whether
// there are any.
func specials(ops ...string) (source string, any bool) {
	var b strings.Builder
	written := map[string]bool{}
	var write func(name string)
	write = func(name string) {
		if !written[name] {
			written[name] = true
			for _, n := range strings.Fields(special[name].needs) {
				write(n)
			}
			b.WriteString(special[name].source)
		}
	}
	for _, op := range ops {
		if name, ok := specialOf[op]; ok {
			if !any {
				b.WriteString(specialPrelude)
			}
			any = true
			write(name)
		}
	}
	return b.String(), any
}
