/**
 * Sine of a float32 as glibc's `sinf` rounds it, which is not always to the nearest float32. `Math.sin` differs in 1.3 %
 * of inputs, and one bit decides how a landing ends.
 */
export function sine(angle: number): number {
  if (Math.abs(angle) < tiny) return angle;
  const n = quadrant(angle);
  return polynomial(reduce(angle, n), n, n);
}

/** Cosine of a float32 as glibc's `cosf` rounds it. */
export function cosine(angle: number): number {
  if (Math.abs(angle) < tiny) return 1;
  const n = quadrant(angle);
  return polynomial(reduce(angle, n), n, n ^ 1);
}

const tiny = 2 ** -12;
const twoOverPi = 0.6366197723675814;
/** Half of pi in two parts, so that the product with a small integer is exact. */
const high = 1.5707963267341256;
const low = 1.5707963267948966 - high;

function quadrant(angle: number): number {
  return Math.floor(angle * twoOverPi + 0.5);
}

function reduce(angle: number, n: number): number {
  return angle - n * high - n * low;
}

function polynomial(reduced: number, n: number, which: number): number {
  const squared = reduced * reduced;
  if ((which & 1) === 0) {
    const x = (n + 1) & 2 ? -reduced : reduced;
    const cubed = x * squared;
    return Math.fround(x + cubed * s1 + cubed * squared * (s2 + squared * s3));
  }
  const sign = n & 2 ? -1 : 1;
  const fourth = squared * squared;
  return Math.fround(
    sign + squared * (sign * c1) + fourth * (sign * c2) + fourth * squared * (sign * c3 + squared * (sign * c4)),
  );
}

const s1 = -0.16666654943701084;
const s2 = 0.008332178146138854;
const s3 = -0.00019517298981385725;
const c1 = -0.49999999725108224;
const c2 = 0.041666623324344516;
const c3 = -0.001388676379437604;
const c4 = 0.000024390450703564542;
