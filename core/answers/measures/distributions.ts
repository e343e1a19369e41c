/** Logarithm of the gamma function for positive arguments (Lanczos, g = 7, nine terms; relative error below 1e-14). */
const logGamma = (x: number): number => {
  const terms = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7
  ]
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  const shifted = x - 1
  const sum = terms.reduce((total, term, i) => (i === 0 ? term : total + term / (shifted + i)), 0)
  const t = shifted + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum)
}

/** Regularised incomplete beta function, by Lentz's continued fraction (Press et al., Numerical Recipes, 6.4). */
const incompleteBeta = (x: number, a: number, b: number): number => {
  if (x <= 0) return 0
  if (x >= 1) return 1
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a)
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  const tiny = 1e-300
  const atLeastTiny = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let [c, d] = [1, 1 / atLeastTiny(1 - ((a + b) * x) / (a + 1))]
  let fraction = d
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / atLeastTiny(1 + even * d)
    c = atLeastTiny(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / atLeastTiny(1 + odd * d)
    c = atLeastTiny(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-16) break
  }
  return (front * fraction) / a
}

/** Two-sided p of a t statistic. */
export const studentP = (t: number, degrees: number): number =>
  incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5)

/** Quantile of Student's t distribution for `probability` above 0.5, by bisection of its distribution function. */
export const studentQuantile = (probability: number, degrees: number): number => {
  const beyond = 2 * (1 - probability)
  let [low, high] = [0, 1]
  while (studentP(high, degrees) > beyond) high *= 2
  for (let step = 0; step < 200 && high - low > 1e-15 * high; step++) {
    const middle = (low + high) / 2
    if (studentP(middle, degrees) > beyond) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** The 0.975 quantile of the standard normal distribution. */
export const normal975 = 1.959963984540054
