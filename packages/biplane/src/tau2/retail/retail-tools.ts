import { writePythonJson } from "../../rollout/python/json.ts";
import { calculateTool, readTool, transferTool, writeTool } from "../common-tools.ts";
import type { DomainTools } from "../domain.ts";
import { dump } from "../model.ts";
import { PythonError } from "../python-error.ts";
import { cancelOrder, changeAddress, changePayment, exchangeItems, modifyItems, returnItems } from "./order-changes.ts";
import { orderOf, productOf, shopperOf } from "./retail-lookup.ts";
import { variantType } from "./retail-models.ts";
import type { Order, RetailAddress, RetailTables, RetailUser } from "./retail-models.ts";

export interface RetailOptions {
  /** Gives each changed item its own variant, where the reference gives all of them the last one. */
  readonly fixed?: boolean;
}

const text = { type: "string" } as const;
const texts = { type: "array", items: { type: "string" } } as const;
const address = { address1: text, address2: text, city: text, state: text, country: text, zip: text };
const exchange = { order_id: text, item_ids: texts, new_item_ids: texts, payment_method_id: text };

/** The agent's tools of the retail domain. */
export function retailTools({ fixed = false }: RetailOptions): DomainTools<RetailTables> {
  return {
    calculate: calculateTool,
    cancel_pending_order: writeTool("Cancels a pending order, and refunds its payments", {
      parameters: { order_id: text, reason: text },
      run: (tables, input) => showOrder(tables, cancelOrder(tables, input as never)),
    }),
    exchange_delivered_order_items: writeTool(
      "Requests an exchange of items of a delivered order for other variants of the same products",
      {
        parameters: exchange,
        run: (tables, input) => showOrder(tables, exchangeItems(tables, input as never)),
      },
    ),
    find_user_id_by_name_zip: readTool("Finds a user by first name, last name and zip code", {
      parameters: { first_name: text, last_name: text, zip: text },
      run: (tables, { first_name: first, last_name: last, zip }) =>
        findUser(
          tables,
          ({ name, address: at }) => isSame(name.first_name, first) && isSame(name.last_name, last) && at.zip === zip,
        ),
    }),
    find_user_id_by_email: readTool("Finds a user by email address", {
      parameters: { email: text },
      run: (tables, { email }) => findUser(tables, (user) => isSame(user.email, email)),
    }),
    get_order_details: readTool("Returns an order", {
      parameters: { order_id: text },
      run: (tables, { order_id: id }) => showOrder(tables, orderOf(tables, String(id))),
    }),
    get_product_details: readTool("Returns a product and its variants", {
      parameters: { product_id: text },
      run: (tables, { product_id: id }) => tables.dump("products", productOf(tables, String(id))),
    }),
    get_item_details: readTool("Returns a variant of a product", {
      parameters: { item_id: text },
      run: (tables, { item_id: id }) => findItem(tables, String(id)),
    }),
    get_user_details: readTool("Returns a user, with payment methods and order ids", {
      parameters: { user_id: text },
      run: (tables, { user_id: id }) => tables.dump("users", shopperOf(tables, String(id))),
    }),
    list_all_product_types: readTool("Lists the names and ids of all products", {
      parameters: {},
      run: (tables) =>
        writePythonJson(
          Object.fromEntries([...tables.all("products")].map(([, product]) => [product.name, product.product_id])),
        ),
    }),
    modify_pending_order_address: writeTool("Changes the shipping address of a pending order", {
      parameters: { order_id: text, ...address },
      run: (tables, input) => showOrder(tables, changeAddress(tables, String(input["order_id"]), addressIn(input))),
    }),
    modify_pending_order_items: writeTool("Changes items of a pending order to other variants of the same products", {
      parameters: exchange,
      run: (tables, input) => showOrder(tables, modifyItems(tables, input as never, fixed)),
    }),
    modify_pending_order_payment: writeTool("Changes the payment method of a pending order", {
      parameters: { order_id: text, payment_method_id: text },
      run: (tables, input) => showOrder(tables, changePayment(tables, input as never)),
    }),
    modify_user_address: writeTool("Changes the default address of a user", {
      parameters: { user_id: text, ...address },
      run: (tables, input) => {
        const id = String(input["user_id"]);
        shopperOf(tables, id);
        const user = tables.edit("users", id);
        user.address = addressIn(input);
        return tables.dump("users", user);
      },
    }),
    return_delivered_order_items: writeTool("Requests a return of items of a delivered order", {
      parameters: { order_id: text, item_ids: texts, payment_method_id: text },
      run: (tables, input) => showOrder(tables, returnItems(tables, input as never)),
    }),
    transfer_to_human_agents: transferTool,
  };
}

function showOrder(tables: RetailTables, order: Order): unknown {
  return tables.dump("orders", order);
}

function findUser(tables: RetailTables, isMeant: (user: RetailUser) => boolean): string {
  for (const [id, user] of tables.all("users")) if (isMeant(user)) return id;
  throw new PythonError("User not found");
}

function isSame(one: string, other: unknown): boolean {
  return one.toLowerCase() === String(other).toLowerCase();
}

function findItem(tables: RetailTables, id: string): unknown {
  for (const [, { variants }] of tables.all("products")) {
    const variant = variants.get(id);
    if (variant) return dump(variantType, variant);
  }
  throw new PythonError("Item not found");
}

function addressIn(input: Readonly<Record<string, unknown>>): RetailAddress {
  const { address1, address2, city, country, state, zip } = input as Readonly<Record<keyof RetailAddress, string>>;
  return { address1, address2, city, country, state, zip };
}
