/** Tests whether a text has a format. */
type FormatTest = (text: string) => boolean;

/** The formats that are checked. Others, such as `idn-hostname`, are only annotations. Every test takes linear time. */
export const formats: ReadonlyMap<string, FormatTest> = new Map<string, FormatTest>([
  ["date-time", isDateTime],
  ["date", isDate],
  ["time", isTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["uri", (text) => hasScheme(text) && isReference(text)],
  ["uri-reference", isReference],
  ["iri", (text) => hasScheme(text) && isReference(withoutLetters(text))],
  ["iri-reference", (text) => isReference(withoutLetters(text))],
  ["uri-template", isTemplate],
  ["uuid", (text) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(text)],
  ["regex", isRegex],
  ["json-pointer", (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)],
  ["relative-json-pointer", (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text)],
]);

function isDateTime(text: string): boolean {
  const [date = "", time, ...more] = text.split(/[tT]/);
  return time !== undefined && more.length === 0 && isDate(date) && isTime(time);
}

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= days;
}

/** A leap second is the last one of a day in UTC. */
function isTime(text: string): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):(\d\d))$/i.exec(text);
  if (!found) return false;
  const [hour = 0, minute = 0, second = 0] = found.slice(1, 4).map(Number);
  const [offsetHours, offsetMinutes] = [Number(found[5] ?? 0), Number(found[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return false;
  if (second < 60) return true;
  const offset = (found[4] === "-" ? -1 : 1) * (offsetHours * 60 + offsetMinutes);
  return (hour * 60 + minute - offset + 2880) % 1440 === 1439;
}

function isDuration(text: string): boolean {
  const date = /^P(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D|\d+W)?$/;
  const time = /^(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S)$/;
  const [days = "", hours, ...more] = text.split("T");
  if (more.length > 0 || !date.test(days)) return false;
  return hours === undefined ? days !== "P" : time.test(hours) && !days.endsWith("W");
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [name, host] = [text.slice(0, at), text.slice(at + 1)];
  const isName =
    /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(name) || /^"(?:[^"\\\r\n]|\\.)*"$/.test(name);
  const [, literal] = /^\[(?:IPv6:)?(.*)\]$/.exec(host) ?? [];
  return at > 0 && isName && (literal === undefined ? isHostname(host) : isIpv4(literal) || isIpv6(literal));
}

function isHostname(text: string): boolean {
  return (
    text.length <= 253 && /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i.test(text)
  );
}

function isIpv4(text: string): boolean {
  return /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text) && !/(?:^|\.)0\d/.test(text);
}

function isIpv6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]`) && (!text.includes(".") || endsInIpv4(text));
}

function endsInIpv4(text: string): boolean {
  return isIpv4(text.slice(text.lastIndexOf(":") + 1));
}

function hasScheme(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:/i.test(text);
}

/** RFC 3986: an optional scheme, authority, path, query and fragment. */
function isReference(text: string): boolean {
  const parts = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(text);
  const [, scheme, authority = "", path = "", query = "", fragment = ""] = parts ?? [];
  if (!parts || (scheme !== undefined && !hasScheme(`${scheme}:`))) return false;
  return (
    isAuthority(authority) &&
    [path, query, fragment].every((part) => /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*$/i.test(part))
  );
}

function isAuthority(text: string): boolean {
  const [, host = ""] = /^(?:(?:[\w\-.~!$&'()*+,;=:]|%[\da-f]{2})*@)?(.*?)(?::\d*)?$/i.exec(text) ?? [undefined, "^"];
  const [, address] = /^\[(.*)\]$/.exec(host) ?? [];
  if (address !== undefined) return isIpv6(address) || /^v[\da-f]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(address);
  return /^(?:[\w\-.~!$&'()*+,;=]|%[\da-f]{2})*$/i.test(host);
}

/** Everything beyond ASCII that an IRI may have, as a plain letter. */
function withoutLetters(text: string): string {
  return text.replaceAll(/[\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\u{10000}-\u{10fffd}]/gu, "a");
}

/** RFC 6570: literals, and expressions such as `{?query,page:3,tags*}`. */
function isTemplate(text: string): boolean {
  const variable = /^(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?$/i;
  const isList = (list: string) => list.split(",").every((each) => variable.test(each));
  const literals = text.replaceAll(/\{[+#./;?&=,!@|]?([^{}]+)\}/g, (whole, list: string) =>
    isList(list) ? "" : whole,
  );
  return /^(?:[^\p{Cc}\s"%<>\\^`{|}]|%[\da-f]{2})*$/iu.test(literals);
}

function isRegex(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
