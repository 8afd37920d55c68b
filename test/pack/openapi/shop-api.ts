import type { Seen } from "../net/local-site.ts";
import { LocalSite, json } from "../net/local-site.ts";

/** A document with what real ones have: references that recurse, parameters in every place, a body, tags, security. */
export const shopDocument = `
openapi: 3.0.3
info: { title: Shop, version: "1" }
servers: [{ url: "https://{region}.shop.example/v1", variables: { region: { default: eu } } }]
security: [{ bearerAuth: [] }]
paths:
  /orders/{id}:
    parameters: [{ $ref: "#/components/parameters/Id" }]
    get:
      operationId: orders.get
      summary: Get an order
      tags: [orders]
      parameters:
        - { name: fields, in: query, schema: { type: array, items: { type: string } } }
        - { name: filter, in: query, style: deepObject, schema: { type: object } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: Authorization, in: header, schema: { type: string } }
        - { name: Host, in: header, schema: { type: string } }
    delete:
      operationId: orders.delete
      tags: [admin]
  /orders:
    post:
      tags: [orders, writing]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } }
  /login:
    post:
      operationId: login
      security: [{ key: [], session: [] }, {}]
      requestBody: { content: { application/x-www-form-urlencoded: { schema: { type: object } } } }
  /upload:
    post:
      operationId: upload
      requestBody: { content: { multipart/form-data: { schema: { type: object } } } }
  /text:
    get: { operationId: text, tags: [orders], security: [] }
components:
  parameters:
    Id: { name: id, in: path, required: true, schema: { type: string, pattern: "^(a+)+$" } }
  securitySchemes:
    bearerAuth: { type: http, scheme: bearer }
    key: { type: apiKey, in: query, name: api_key }
    session: { type: apiKey, in: cookie, name: sid }
  schemas:
    Order:
      type: object
      required: [item]
      properties:
        id: { type: string, readOnly: true }
        item: { type: string, minLength: 1 }
        note: { type: string, nullable: true }
        amount: { type: number, minimum: 0, exclusiveMinimum: true }
        parts: { type: array, items: { $ref: "#/components/schemas/Order" } }
`;

/** The API itself, which answers with what it was asked. */
export function shopApi(): Promise<LocalSite> {
  return LocalSite.open((seen: Seen, response) => {
    if (seen.url.startsWith("/v1/text")) return void response.setHeader("content-type", "text/plain").end("plain");
    if (seen.url.includes("missing")) return json(response, { error: "no such order" }, { status: 404 });
    const { method, url, body, headers } = seen;
    return json(response, { method, url, body, trace: headers["x-trace"] ?? null });
  });
}
