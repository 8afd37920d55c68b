import type { EpisodeTables } from "../episode-tables.ts";
import {
  each,
  float,
  listOf,
  mapOf,
  model,
  optional,
  orderedMapOf,
  asIs,
  presetFields,
  text,
  unionBy,
} from "../model.ts";
import type { DataOf, PythonInteger, Type } from "../model.ts";

const address = model(each(text, "address1", "address2", "city", "country", "state", "zip"));

export interface RetailPaymentMethod {
  readonly source: "credit_card" | "gift_card" | "paypal";
  balance: number;
}

const source = asIs<RetailPaymentMethod["source"]>();
const paymentMethod = unionBy<RetailPaymentMethod>("source", {
  credit_card: model({ source, ...each(text, "id", "brand", "last_four") }),
  gift_card: model({ source, id: text, balance: float }),
  paypal: model({ source, id: text }),
});

const options = asIs<Readonly<Record<string, string>>>();
export const variantType = model({ item_id: text, options, available: asIs<boolean>(), price: float });

const product = model({ ...each(text, "name", "product_id"), variants: orderedMapOf(variantType) });

const user = model({
  user_id: text,
  name: model(each(text, "first_name", "last_name")),
  address,
  email: text,
  payment_methods: mapOf(paymentMethod),
  orders: asIs<readonly string[]>(),
});

const order = model({
  ...each(text, "order_id", "user_id"),
  address,
  items: listOf(model({ ...each(text, "name", "product_id", "item_id"), price: float, options })),
  status: text,
  fulfillments: listOf(model({ tracking_id: asIs(), item_ids: asIs() })),
  payment_history: listOf(
    model({ transaction_type: asIs<"payment" | "refund">(), amount: float, payment_method_id: text }),
  ),
  ...presetFields({
    cancel_reason: null as string | null,
    exchange_items: null as string[] | null,
    exchange_new_items: null as string[] | null,
    exchange_payment_method_id: null as string | null,
  }),
  // An int if no item was exchanged.
  exchange_price_difference: optional(float as Type<number | PythonInteger>),
  ...presetFields({ return_items: null as string[] | null, return_payment_method_id: null as string | null }),
});

/** The tables of the retail database. */
export const retailTypes = { products: product, users: user, orders: order };

export type Variant = DataOf<typeof variantType>;
export type RetailProduct = DataOf<typeof product>;
export type RetailUser = DataOf<typeof user>;
export type RetailAddress = DataOf<typeof address>;
export type Order = DataOf<typeof order>;

/** The tables of an episode. */
export type RetailTables = EpisodeTables<typeof retailTypes>;
