import { monthNames } from "./catalogue.ts";
import type { RequiredFact } from "./support-task.ts";

/** Whether a text states an amount, a date in a common form, or one of several texts. */
export function statesFact(text: string, fact: RequiredFact): boolean {
  const plain = text.toLowerCase().replaceAll(/(?<=\d),(?=\d{3}\b)/g, "");
  if (typeof fact === "number") return amountPattern(fact).test(plain);
  if (typeof fact === "string" && /^\d{4}-\d{2}-\d{2}$/.test(fact)) return datePattern(fact).test(plain);
  return [fact].flat().some((each) => plain.includes(each.toLowerCase()));
}

/** 7.5 is said as 7.5 or 7.50, 40 as 40 or 40.00; 140, 40.5 and 4,0 are other amounts. */
function amountPattern(value: number): RegExp {
  const [whole = "", fraction = ""] = value.toFixed(2).split(".");
  const decimals = fraction === "00" ? "(?:[.,]00)?" : `[.,]${fraction.replace(/0$/, "0?")}`;
  return new RegExp(`(?<![\\d.,-])${whole}${decimals}(?![\\d]|[.,]\\d)`);
}

function datePattern(date: string): RegExp {
  const [year = "", month = "", day = ""] = date.split("-");
  const name = monthNames[Number(month) - 1]?.toLowerCase() ?? "";
  const number = `0?${Number(day)}(?:st|nd|rd|th)?`;
  const named = `(?:${name}|${name.slice(0, 3)})\\.?`;
  const forms = [
    date,
    `\\b${number}(?: of)? ${named}(?![a-z])`,
    `\\b${named} ${number}(?!\\d)`,
    `\\b${day}[./]${month}[./]${year}`,
  ];
  return new RegExp(forms.join("|"));
}
