import type { ServerConfig } from "../config.js"

const loopback: ReadonlyArray<string> = ["localhost", "127.0.0.1", "[::1]"]

/**
 * The names by which a server may be called: those that are set. One that listens on loopback has no others than its
 * own by default, so that a name that somebody else bound to this address leads nowhere.
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
