import { guardedFetch } from "../../adapters/models/guarded-fetch.js"
import { clientScopes } from "../../core/platform/identity/index.js"
import { isLoopback, type ServerConfig } from "../config.js"
import type { FetchMetadata } from "./clients.js"

/** The settings that sign-in of MCP clients needs. */
export type SignInConfig = Pick<ServerConfig, "origin" | "mcpSignIn">

/** The path of MCP, which tokens are for. */
export const mcpPath = "/api/mcp"

export const paths = {
  resource: "/.well-known/oauth-protected-resource",
  server: "/.well-known/oauth-authorization-server",
  authorize: "/connect",
  token: "/oauth/token",
  register: "/oauth/register",
  revoke: "/oauth/revoke"
} as const

/**
 * The public address of this server, which names it to clients. Without the setting `origin` only a loopback name is
 * trusted: whoever asks chooses the Host header. Null where there is none, or where nobody is to sign in.
 */
export const issuerOf = (
  { url }: Pick<Request, "url">,
  { mcpSignIn, origin }: SignInConfig
): string | null => {
  if (!mcpSignIn) return null
  if (origin !== undefined) return origin.replace(/\/+$/u, "")
  const { hostname, origin: asked } = new URL(url)
  return isLoopback(hostname) ? asked : null
}

/** The resource that tokens are for. */
export const resourceAt = (issuer: string): string => issuer + mcpPath

/** What a client that was refused may read to find the way in. */
export const resourceMetadataAt = (issuer: string): string => issuer + paths.resource + mcpPath

/** Metadata of the protected resource (RFC 9728). */
export const resourceMetadata = (issuer: string) => ({
  resource: resourceAt(issuer),
  authorization_servers: [issuer],
  scopes_supported: clientScopes,
  bearer_methods_supported: ["header"],
  resource_name: "Kanon"
})

/** Metadata of the authorization server (RFC 8414). */
export const serverMetadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: issuer + paths.authorize,
  token_endpoint: issuer + paths.token,
  registration_endpoint: issuer + paths.register,
  revocation_endpoint: issuer + paths.revoke,
  scopes_supported: clientScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true
})

/** Longest time and size of a client's metadata document. */
const [metadataMs, metadataBytes] = [5_000, 16_384]

/** Fetches metadata documents from public addresses, without redirects. */
export const fetchMetadataOf = (): FetchMetadata => {
  const fetched = guardedFetch({
    privateAddresses: false,
    responseMaxBytes: metadataBytes,
    jsonBounds: { depth: 8, values: 500 }
  })
  return async (url) => {
    const response = await fetched(url, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(metadataMs)
    })
    return response.ok ? response.json() : null
  }
}
