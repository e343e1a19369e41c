import * as Either from "effect/Either"
import { z } from "zod"
import { isLoopback } from "../config.js"

/** A client that asks a person to sign in. */
export interface KnownClient {
  readonly id: string
  readonly name: string
  /** The host that vouches for the name: that of its metadata document. Null for one that registered itself. */
  readonly host: string | null
  readonly redirectUris: ReadonlyArray<string>
}

/** Fetches a metadata document of a client, within bounds of time, size and address. */
export type FetchMetadata = (url: string) => Promise<unknown>

const [namesMax, urisMax, uriMax] = [100, 10, 1000] as const
/** Longest client id that is issued or read. */
const clientIdMax = 2000

const Uri = z.string().min(1).max(uriMax)

/** What a client says of itself, by registration or in its document; further fields are ignored. */
const Metadata = z.object({
  client_name: z.string().max(1000).optional(),
  redirect_uris: z.array(Uri).min(1).max(urisMax),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional()
})

/** Schemes that a browser would run or read from the machine, instead of handing the address to an application. */
const forbiddenSchemes =
  /^(?:about|blob|chrome[\w-]*|data|file|filesystem|ftp|intent|javascript|mailto|vbscript|view-source|wss?):$/iu

/** Whether an address may get a code: HTTPS, plain HTTP on the person's own machine, or an application's own scheme. */
const mayRedirect = (uri: string): boolean => {
  if (!URL.canParse(uri)) return false
  const { hash, hostname, password, protocol, username } = new URL(uri)
  if (hash !== "" || uri.includes("#") || username !== "" || password !== "") return false
  if (protocol === "https:") return true
  if (protocol === "http:") return isLoopback(hostname)
  return !forbiddenSchemes.test(protocol)
}

const nameIn = (given: string | undefined, otherwise: string): string => {
  const name = (given ?? "").replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return [...(name === "" ? otherwise : name)].slice(0, namesMax).join("").toWellFormed()
}

const prefix = "kc1."

/**
 * Registers a client without storing anything: its id says what it registered. Public clients prove nothing by their id,
 * so one that is made by hand is worth as much, and nobody can fill the database.
 */
export const registered = (body: unknown): Either.Either<KnownClient, string> => {
  const read = Metadata.safeParse(body)
  if (!read.success)
    return Either.left("client_name is a text, redirect_uris a list of one to ten addresses.")
  const { client_name, redirect_uris, token_endpoint_auth_method = "none" } = read.data
  if (token_endpoint_auth_method !== "none")
    return Either.left("Only public clients: token_endpoint_auth_method is none.")
  const wrong = redirect_uris.find((uri) => !mayRedirect(uri))
  if (wrong !== undefined)
    return Either.left("redirect_uris: https, http on the own machine, or the scheme of an application.")
  const name = nameIn(client_name, "An assistant")
  const id = prefix + Buffer.from(JSON.stringify([name, redirect_uris])).toString("base64url")
  if (id.length > clientIdMax) return Either.left("redirect_uris: are too long together.")
  return Either.right({ id, name, host: null, redirectUris: redirect_uris })
}

const Registered = z.tuple([
  z
    .string()
    .min(1)
    .max(namesMax * 2),
  z.array(Uri).min(1).max(urisMax)
])

/** The client of an id: what it registered, or what its metadata document says now. Null for one that is nobody's. */
export const clientOf = async (id: string, fetchMetadata: FetchMetadata): Promise<KnownClient | null> => {
  if (id.length > clientIdMax) return null
  if (!id.startsWith(prefix)) return clientAt(id, fetchMetadata)
  try {
    const read = Registered.safeParse(
      JSON.parse(Buffer.from(id.slice(prefix.length), "base64url").toString("utf8"))
    )
    if (!read.success || !read.data[1].every(mayRedirect)) return null
    const [name, redirectUris] = read.data
    return { id, name: nameIn(name, "An assistant"), host: null, redirectUris }
  } catch {
    return null
  }
}

/** A client whose id is the address of its metadata document. */
const clientAt = async (id: string, fetchMetadata: FetchMetadata): Promise<KnownClient | null> => {
  if (!URL.canParse(id)) return null
  const url = new URL(id)
  const isPlain = url.href === id && url.hash === "" && url.username === "" && url.password === ""
  if (url.protocol !== "https:" || !isPlain || url.pathname === "/") return null
  const read = Metadata.extend({ client_id: z.literal(id) }).safeParse(
    await fetchMetadata(id).catch(() => null)
  )
  if (!read.success) return null
  const { client_name, redirect_uris, token_endpoint_auth_method = "none" } = read.data
  if (token_endpoint_auth_method !== "none" || !redirect_uris.every(mayRedirect)) return null
  return { id, name: nameIn(client_name, url.host), host: url.host, redirectUris: redirect_uris }
}

/** Whether a client may be answered at an address: one of its own, of which only the port on the own machine may differ. */
export const isRedirectOf = ({ redirectUris }: KnownClient, uri: string): boolean =>
  mayRedirect(uri) &&
  redirectUris.some((own) => {
    if (own === uri) return true
    const [a, b] = [new URL(own), new URL(uri)]
    const isOnMachine = a.protocol === "http:" && isLoopback(a.hostname)
    return (
      isOnMachine &&
      a.protocol === b.protocol &&
      a.hostname === b.hostname &&
      a.pathname === b.pathname &&
      a.search === b.search
    )
  })
