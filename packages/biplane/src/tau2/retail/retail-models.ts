import type { EpisodeTables } from "../episode-tables.ts";
import { asIs, listOf, mapOf, model, optional, orderedMapOf, presetFields, unionBy } from "../model.ts";
import type { PythonInteger, Type } from "../model.ts";

const address = model(asIs("address1", "address2", "city", "country", "state", "zip"));

const paymentMethod = unionBy("source", {
  credit_card: model(asIs("source", "id", "brand", "last_four")),
  gift_card: model({ ...asIs("source", "id"), balance: "float" }),
  paypal: model(asIs("source", "id")),
});

export const variantType = model({ ...asIs("item_id", "options", "available"), price: "float" });

/** The tables of the retail database. */
export const retailTypes: Readonly<Record<"products" | "users" | "orders", Type>> = {
  products: model({ ...asIs("name", "product_id"), variants: orderedMapOf(variantType) }),
  users: model({
    user_id: "plain",
    name: model(asIs("first_name", "last_name")),
    address,
    email: "plain",
    payment_methods: mapOf(paymentMethod),
    orders: "plain",
  }),
  orders: model({
    ...asIs("order_id", "user_id"),
    address,
    items: listOf(model({ ...asIs("name", "product_id", "item_id"), price: "float", options: "plain" })),
    status: "plain",
    fulfillments: listOf(model(asIs("tracking_id", "item_ids"))),
    payment_history: listOf(model({ transaction_type: "plain", amount: "float", payment_method_id: "plain" })),
    ...presetFields({
      cancel_reason: null,
      exchange_items: null,
      exchange_new_items: null,
      exchange_payment_method_id: null,
    }),
    exchange_price_difference: optional("float"),
    ...presetFields({ return_items: null, return_payment_method_id: null }),
  }),
};

export interface RetailProduct {
  readonly name: string;
  readonly product_id: string;
  readonly variants: ReadonlyMap<string, Variant>;
}

export interface Variant {
  readonly item_id: string;
  readonly options: Readonly<Record<string, string>>;
  readonly available: boolean;
  readonly price: number;
}

export interface RetailUser {
  readonly user_id: string;
  readonly name: { readonly first_name: string; readonly last_name: string };
  address: RetailAddress;
  readonly email: string;
  readonly payment_methods: Readonly<Record<string, RetailPaymentMethod>>;
}

export interface RetailAddress {
  readonly address1: string;
  readonly address2: string;
  readonly city: string;
  readonly country: string;
  readonly state: string;
  readonly zip: string;
}

export interface RetailPaymentMethod {
  readonly source: "credit_card" | "gift_card" | "paypal";
  balance: number;
}

export interface Order {
  readonly order_id: string;
  readonly user_id: string;
  address: RetailAddress;
  readonly items: OrderItem[];
  status: string;
  readonly payment_history: OrderPayment[];
  cancel_reason: string | null;
  exchange_items: string[] | null;
  exchange_new_items: string[] | null;
  exchange_payment_method_id: string | null;
  /** An int if no item was exchanged. */
  exchange_price_difference: number | PythonInteger | null;
  return_items: string[] | null;
  return_payment_method_id: string | null;
}

interface OrderItem {
  readonly product_id: string;
  item_id: string;
  price: number;
  options: Readonly<Record<string, string>>;
}

export interface OrderPayment {
  readonly transaction_type: "payment" | "refund";
  readonly amount: number;
  readonly payment_method_id: string;
}

/** The tables of an episode. */
export type RetailTables = EpisodeTables<{
  readonly products: RetailProduct;
  readonly users: RetailUser;
  readonly orders: Order;
}>;
