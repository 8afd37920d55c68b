import type { EpisodeTables } from "../episode-tables.ts";
import { listOf, mapOf, model, unionBy, optional, orderedMapOf } from "../model.ts";
import type { PythonInteger, Type } from "../model.ts";

const address = model({
  address1: "plain",
  address2: "plain",
  city: "plain",
  country: "plain",
  state: "plain",
  zip: "plain",
});

const paymentMethod = unionBy("source", {
  credit_card: model({ source: "plain", id: "plain", brand: "plain", last_four: "plain" }),
  gift_card: model({ source: "plain", id: "plain", balance: "float" }),
  paypal: model({ source: "plain", id: "plain" }),
});

export const variantType = model({ item_id: "plain", options: "plain", available: "plain", price: "float" });

/** The tables of the retail database. */
export const retailTypes: Readonly<Record<"products" | "users" | "orders", Type>> = {
  products: model({ name: "plain", product_id: "plain", variants: orderedMapOf(variantType) }),
  users: model({
    user_id: "plain",
    name: model({ first_name: "plain", last_name: "plain" }),
    address,
    email: "plain",
    payment_methods: mapOf(paymentMethod),
    orders: "plain",
  }),
  orders: model({
    order_id: "plain",
    user_id: "plain",
    address,
    items: listOf(model({ name: "plain", product_id: "plain", item_id: "plain", price: "float", options: "plain" })),
    status: "plain",
    fulfillments: listOf(model({ tracking_id: "plain", item_ids: "plain" })),
    payment_history: listOf(model({ transaction_type: "plain", amount: "float", payment_method_id: "plain" })),
    cancel_reason: optional("plain"),
    exchange_items: optional("plain"),
    exchange_new_items: optional("plain"),
    exchange_payment_method_id: optional("plain"),
    exchange_price_difference: optional("float"),
    return_items: optional("plain"),
    return_payment_method_id: optional("plain"),
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
