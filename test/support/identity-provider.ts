import { generateKeyPairSync, sign } from "node:crypto"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"

/** A provider of identities that signs in whoever `claims` names. */
export interface IdentityProvider {
  readonly issuer: string
  /** Claims of id tokens beside issuer, audience and times. */
  readonly claims: Record<string, unknown>
  /** A code for an attempt, as the provider gives one to a person who has signed in there. */
  readonly codeFor: (nonce: string) => string
  readonly close: () => Promise<void>
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

export const startProvider = async (clientId: string): Promise<IdentityProvider> => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const nonces = new Map<string, string>()
  const claims: Record<string, unknown> = {}
  let issuer = ""
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", issuer)
    const json = (body: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
    if (url.pathname === "/.well-known/openid-configuration")
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        id_token_signing_alg_values_supported: ["RS256"]
      })
    if (url.pathname === "/jwks")
      return json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] })
    const body = new URLSearchParams(await text(request))
    const nowSeconds = Math.floor(Date.now() / 1000)
    const content = `${base64({ alg: "RS256", kid: "1" })}.${base64({
      iss: issuer,
      aud: clientId,
      iat: nowSeconds,
      exp: nowSeconds + 300,
      nonce: nonces.get(body.get("code") ?? ""),
      ...claims
    })}`
    const signature = sign("sha256", Buffer.from(content), privateKey).toString("base64url")
    return json({ access_token: "a", token_type: "Bearer", id_token: `${content}.${signature}` })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new TypeError("The server has no address.")
  issuer = `http://127.0.0.1:${address.port}`
  return {
    issuer,
    claims,
    codeFor: (nonce) => {
      const code = `code-${nonces.size}`
      nonces.set(code, nonce)
      return code
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
