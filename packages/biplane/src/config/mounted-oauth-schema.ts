const filled = { type: "string", minLength: 1 } as const;
const secret = { ...filled, writeOnly: true } as const;
const address = { type: "string", pattern: "^https?://", means: "a URL that starts with https://" } as const;
const file = { ...filled, format: "path" } as const;

/** How this program authenticates at an authorization server or an identity provider. */
const client = {
  clientSecret: { ...secret, description: "Secret of this client, as a reference" },
  privateKey: {
    type: "object",
    description: "Authenticates with a key instead of a secret (`private_key_jwt`)",
    properties: {
      pem: { ...secret, description: "Private key in PEM (PKCS #8), as a reference" },
      algorithm: { ...filled, description: "Signature algorithm (default: ES256)" },
    },
    required: ["pem"],
    additionalProperties: false,
  },
} as const;

/** How a mounted server is reached with OAuth, without a person. */
export const mountedOAuth = {
  type: "object",
  description: "How to get tokens for `url`; see [composition](composition.md#servers-that-need-oauth)",
  properties: {
    issuer: { ...address, description: "The authorization server. Others never see the credentials" },
    clientId: { ...filled, description: "Id of this client there" },
    ...client,
    scope: { ...filled, description: "Scopes to request besides those that the server names, separated by spaces" },
    dpop: {
      type: "boolean",
      description: "Bind tokens to a key with DPoP (default: only if the server demands it)",
    },
    workloadIdentity: {
      type: "object",
      description: "Presents the token by which the platform identifies this program",
      properties: { file: { ...file, description: "File with the token, read again for every request" } },
      required: ["file"],
      additionalProperties: false,
    },
    idJag: {
      type: "object",
      description: "Acts for a person of a company (enterprise-managed authorization)",
      properties: {
        tokenEndpoint: { ...address, description: "Token endpoint of the company's identity provider" },
        clientId: { ...filled, description: "Id of this client at the identity provider" },
        ...client,
        idTokenFile: { ...file, description: "File with the person's ID token, read again for every request" },
      },
      required: ["tokenEndpoint", "clientId", "idTokenFile"],
      additionalProperties: false,
    },
  },
  required: ["issuer", "clientId"],
  additionalProperties: false,
} as const;
