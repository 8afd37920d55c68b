/** A float as `str` shows it: the fewest digits that read back as the same float. */
export function formatFloat(value: number): string {
  return formatFinite(value, (magnitude) => {
    const [digits = "", exponentText = ""] = magnitude.toExponential().split("e");
    const exponent = Number(exponentText);
    // An integral mantissa has no decimal point: 1e+06.
    if (exponent < -4 || exponent >= 6) return `${digits}e${formatExponent(exponent)}`;
    return Number.isInteger(magnitude) ? `${magnitude}.0` : String(magnitude);
  });
}

/** `%f`, with six digits after the point; halves go to the even neighbour of the exact binary value. */
export function formatFixed(value: number): string {
  return formatFinite(value, (magnitude) => {
    const scaled = scaleExactly(magnitude, formatDigits)
      .toString()
      .padStart(formatDigits + 1, "0");
    return `${scaled.slice(0, -formatDigits)}.${scaled.slice(-formatDigits)}`;
  });
}

/** `%e`, with six digits after the point. */
export function formatScientific(value: number): string {
  return formatFinite(value, (magnitude) => {
    if (magnitude === 0) return `0.${"0".repeat(formatDigits)}e+00`;
    let exponent = Number(magnitude.toExponential().split("e")[1]);
    let digits = scaleExactly(magnitude, formatDigits - exponent).toString();
    if (digits.length > formatDigits + 1) {
      exponent++;
      digits = digits.slice(0, -1);
    }
    return `${digits[0]}.${digits.slice(1)}e${formatExponent(exponent)}`;
  });
}

const formatDigits = 6;

/** Writes the sign of a float, also that of zero, before its magnitude. */
function formatFinite(value: number, format: (magnitude: number) => string): string {
  if (Number.isNaN(value)) return "nan";
  const isNegative = value < 0 || Object.is(value, -0);
  if (!Number.isFinite(value)) return isNegative ? "-inf" : "+inf";
  return `${isNegative ? "-" : ""}${format(Math.abs(value))}`;
}

function formatExponent(exponent: number): string {
  return `${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** value × 10^power, rounded half to even on the exact value. */
function scaleExactly(value: number, power: number): bigint {
  const { mantissa, exponent } = decompose(value);
  let numerator = mantissa;
  let denominator = 1n;
  if (exponent >= 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  const quotient = numerator / denominator;
  const twiceRemainder = (numerator % denominator) * 2n;
  const isUp = twiceRemainder > denominator || (twiceRemainder === denominator && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}
