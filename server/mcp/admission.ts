import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import { type Admitted, admit } from "../../core/platform/identity/index.js"
import { isFault, Unauthorized } from "../../core/platform/kernel/index.js"
import type { AppOptions } from "../http/app.js"
import { internal, type WireError, wireError } from "../http/errors.js"
import { bearerOf } from "../http/serve-row.js"

/** Returns a session id that only the holder of the key can use, and only for this workspace. */
export const newSessionId = (request: Request, admitted: Admitted): string => {
  const name = randomUUID()
  return `${name}.${signatureOf(name, request, admitted).toString("base64url")}`
}

/** Whether the session id was made with the key of the request, on this server or on another. */
export const isSigned = (id: string, request: Request, admitted: Admitted): boolean => {
  const [name = "", signature = ""] = id.split(".")
  const [given, right] = [Buffer.from(signature, "base64url"), signatureOf(name, request, admitted)]
  return given.length === right.length && timingSafeEqual(given, right)
}

const signatureOf = (name: string, request: Request, { caller, key }: Admitted): Buffer =>
  createHmac("sha256", bearerOf(request) ?? "")
    .update(`kanon-mcp-session ${key.id} ${caller.workspace} ${name}`)
    .digest()

const forbidden = (message: string): WireError => ({ status: 403, body: { error: "forbidden", message } })

/** Rejects pages of other sites and foreign host names (DNS rebinding) on a loopback server. */
export const refuseForeignHost = (
  { headers }: Request,
  {
    allowedHosts,
    allowedOrigins = []
  }: { readonly allowedHosts?: ReadonlyArray<string>; readonly allowedOrigins?: ReadonlyArray<string> }
): WireError | undefined => {
  const origin = headers.get("origin")
  if (origin !== null && !allowedOrigins.includes(origin)) return forbidden("This origin may not call.")
  const host = headers.get("host")
  if (allowedHosts !== undefined && !isNamed(host, allowedHosts))
    return forbidden("The server is not known by this name.")
  return undefined
}

const isNamed = (host: string | null, allowed: ReadonlyArray<string>): boolean =>
  host !== null && (allowed.includes(host) || allowed.includes(host.replace(/:\d+$/, "")))

/** Authenticates a request by its key. */
export const admitRequest = async (
  request: Request,
  runtime: AppOptions["runtime"],
  span: Tracer.Span | undefined
): Promise<Either.Either<Admitted, WireError>> => {
  const secret = bearerOf(request)
  const workspace = request.headers.get("x-workspace-id") ?? undefined
  const admission = secret === undefined ? Effect.fail(new Unauthorized()) : admit(secret, workspace, "mcp")
  const exit = await runtime.runPromiseExit(
    span === undefined ? admission : Effect.withParentSpan(admission, span)
  )
  if (Exit.isSuccess(exit)) return Either.right(exit.value)
  const fault = Cause.squash(exit.cause)
  return Either.left(isFault(fault) ? wireError(fault) : internal)
}
