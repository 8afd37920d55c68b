/** The value of a `Date` header. It is formatted once a second. */
export function httpDate(): string {
  const now = Date.now();
  if (now >= until) {
    until = now - (now % 1000) + 1000;
    date = new Date(now).toUTCString();
  }
  return date;
}

let date = "";
let until = 0;
