import { found } from "../python-error.ts";
import { roundToCents } from "../python-number.ts";
import type { Order, RetailPaymentMethod, RetailProduct, RetailTables, RetailUser, Variant } from "./retail-models.ts";

/** An order to be changed, or an error. */
export function orderOf(tables: RetailTables, id: string): Order {
  return found(tables.find("orders", id), "Order not found");
}

export function shopperOf(tables: RetailTables, id: string): RetailUser {
  return found(tables.find("users", id), "User not found");
}

export function productOf(tables: RetailTables, id: string): RetailProduct {
  return found(tables.find("products", id), "Product not found");
}

export function variantOf(tables: RetailTables, productId: string, id: string): Variant {
  return found(productOf(tables, productId).variants.get(id), "Variant not found");
}

export function paymentMethodOf(tables: RetailTables, userId: string, id: string): RetailPaymentMethod {
  const { payment_methods: methods } = shopperOf(tables, userId);
  return found(Object.hasOwn(methods, id) ? methods[id] : undefined, "Payment method not found");
}

/** Changes the balance of a payment method if it is a gift card. */
export function addToGiftCard(
  tables: RetailTables,
  { userId, methodId, amount }: { userId: string; methodId: string; amount: number },
): void {
  if (paymentMethodOf(tables, userId, methodId).source !== "gift_card") return;
  const card = tables.edit("users", userId).payment_methods[methodId];
  if (card) card.balance = roundToCents(card.balance + amount);
}
