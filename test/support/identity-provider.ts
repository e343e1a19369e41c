import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { listenOnLoopback } from "./loopback.js"

type Algorithm = "RS256" | "ES256"

interface SigningKey {
  readonly id: string
  readonly algorithm: Algorithm
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** A provider of identities that signs in whoever `claims` names. */
export interface IdentityProvider {
  readonly issuer: string
  /** Claims of id tokens beside issuer, audience and times. */
  readonly claims: Record<string, unknown>
  /** Claims that only `userinfo` gives; the endpoint is there while there are any. */
  readonly userinfo: Record<string, unknown>
  /** How often each path was asked for. */
  readonly asked: Map<string, number>
  /** A code for an attempt, as the provider gives one to a person who has signed in there. */
  readonly codeFor: (nonce: string) => string
  /** Signs with a new key from now on. */
  readonly rotate: (algorithm?: Algorithm) => void
  /** Misbehaviour of the token endpoint: a key that is published nowhere, or an answer with so many more bytes. */
  readonly faults: { signsWithStrangeKey: boolean; extraBytes: number; tokenPath: string }
  readonly close: () => Promise<void>
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

let keysMade = 0
const newKey = (algorithm: Algorithm): SigningKey => ({
  id: `key-${++keysMade}`,
  algorithm,
  ...(algorithm === "RS256"
    ? generateKeyPairSync("rsa", { modulusLength: 2048 })
    : generateKeyPairSync("ec", { namedCurve: "P-256" }))
})

const signed = ({ algorithm, id, privateKey }: SigningKey, claims: unknown): string => {
  const content = `${base64({ alg: algorithm, kid: id })}.${base64(claims)}`
  const signature = sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" })
  return `${content}.${signature.toString("base64url")}`
}

export const startProvider = async (clientId: string): Promise<IdentityProvider> => {
  let key = newKey("RS256")
  const nonces = new Map<string, string>()
  const claims: Record<string, unknown> = {}
  const userinfo: Record<string, unknown> = {}
  const asked = new Map<string, number>()
  const faults = { signsWithStrangeKey: false, extraBytes: 0, tokenPath: "/token" }
  let issuer = ""
  const server = await listenOnLoopback((request, response, body) => {
    const { pathname } = new URL(request.url ?? "/", issuer)
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1)
    const json = (value: unknown) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))
    if (pathname === "/.well-known/openid-configuration")
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}${faults.tokenPath}`,
        jwks_uri: `${issuer}/jwks`,
        ...(Object.keys(userinfo).length === 0 ? {} : { userinfo_endpoint: `${issuer}/userinfo` }),
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        id_token_signing_alg_values_supported: [key.algorithm]
      })
    if (pathname === "/jwks")
      return json({
        keys: [{ ...key.publicKey.export({ format: "jwk" }), kid: key.id, alg: key.algorithm, use: "sig" }]
      })
    if (pathname === "/userinfo") {
      if (request.headers.authorization !== "Bearer a") return response.writeHead(401).end()
      return json({ sub: claims["sub"], ...userinfo })
    }
    if (pathname !== faults.tokenPath) return response.writeHead(404).end()
    const code = new URLSearchParams(String(body)).get("code") ?? ""
    const nonce = nonces.get(code)
    // A code is good once.
    if (!nonces.delete(code))
      return response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error: "invalid_grant" }))
    const nowSeconds = Math.floor(Date.now() / 1000)
    const token = {
      iss: issuer,
      aud: clientId,
      iat: nowSeconds,
      exp: nowSeconds + 300,
      nonce,
      ...claims
    }
    const signingKey = faults.signsWithStrangeKey ? { ...newKey(key.algorithm), id: key.id } : key
    return json({
      access_token: "a",
      token_type: "Bearer",
      id_token: signed(signingKey, token),
      ...(faults.extraBytes === 0 ? {} : { more: " ".repeat(faults.extraBytes) })
    })
  })
  issuer = server.url
  let codes = 0
  return {
    issuer,
    claims,
    userinfo,
    asked,
    faults,
    codeFor: (nonce) => {
      const code = `code-${++codes}`
      nonces.set(code, nonce)
      return code
    },
    rotate: (algorithm = "RS256") => {
      key = newKey(algorithm)
    },
    close: server.close
  }
}
