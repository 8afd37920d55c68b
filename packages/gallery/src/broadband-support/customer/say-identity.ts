import { monthNames } from "../catalogue.ts";
import type { CustomerRecord } from "../tables.ts";
import type { CustomerTopic } from "./understand.ts";

/** How a customer states a fact of its account. Customers speak differently, each always in its own way. */
export function sayIdentity(topic: CustomerTopic, customer: CustomerRecord): string | undefined {
  const manner = manners[Number(customer.id.slice(2)) % manners.length] ?? {};
  return manner[topic]?.(customer);
}

type Manner = Partial<Record<CustomerTopic, (customer: CustomerRecord) => string>>;

const manners: readonly Manner[] = [
  {
    name: ({ name }) => `My name is ${name}.`,
    role: ({ name }) => `Yes, it is my account. I am ${name}.`,
    customer_id: ({ id }) => `My customer number is ${id}.`,
    email: ({ email }) => `My email address is ${email}.`,
    phone: ({ phone }) => `My phone number is ${spaced(phone)}.`,
    postcode: ({ postcode }) => `My postcode is ${postcode}.`,
    birth_date: ({ birth_date: date }) => `My date of birth is ${date}.`,
    card: ({ card_last4: digits }) => `The last four digits are ${digits}.`,
  },
  {
    name: ({ name }) => `${name}.`,
    role: ({ name }) => `Yes. ${name}.`,
    customer_id: ({ id }) => `Number ${id}.`,
    email: ({ email }) => `You should have ${email}.`,
    phone: ({ phone }) => `You can find me under ${spaced(phone)}.`,
    postcode: ({ postcode }) => `Postcode ${postcode}.`,
    birth_date: ({ birth_date: date }) => `Born on ${inWords(date)}.`,
    card: ({ card_last4: digits }) => `It ends in ${digits}.`,
  },
  {
    name: ({ name }) => `This is ${name}.`,
    role: ({ name }) => `I am the account holder, ${name}.`,
    customer_id: ({ id }) => `It says ${id} on my invoice.`,
    email: ({ email }) => `That would be ${email}.`,
    phone: ({ phone }) => `It is ${spaced(phone)}.`,
    postcode: ({ postcode, city }) => `I live in ${city}, ${postcode}.`,
    birth_date: ({ birth_date: date }) => `My birthday is ${inWords(date)}.`,
    card: ({ card_last4: digits }) => `The card ends in ${digits}.`,
  },
];

function spaced(phone: string): string {
  return phone.replace(/^(\+00)(555)/, "$1 $2 ");
}

/** 19 July 1984. */
function inWords(date: string): string {
  const [year, month, day] = date.split("-").map(Number);
  return `${day} ${monthNames[(month ?? 1) - 1]} ${year}`;
}
