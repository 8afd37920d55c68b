/** The wait time of a Retry-After header in milliseconds. The header is a number of seconds or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,10}(\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) || /^[\d.+-]*$/.test(text) ? undefined : Math.max(0, date - now);
}
