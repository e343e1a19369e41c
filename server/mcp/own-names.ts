import type { ServerConfig } from "../config.js"

const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * Returns the allowed host names of a server. A loopback server without configured names allows only its own, which
 * prevents DNS rebinding.
 */
export const ownNames = ({
  host,
  mcpHosts,
  origin
}: Pick<ServerConfig, "host" | "mcpHosts" | "origin">): { readonly allowedHosts?: ReadonlyArray<string> } => {
  if (mcpHosts !== undefined) return { allowedHosts: mcpHosts }
  if (![...loopback, "::1"].includes(host)) return {}
  return { allowedHosts: [...loopback, ...(origin === undefined ? [] : [new URL(origin).host])] }
}
