import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  type ApiKey,
  admit,
  admitClient,
  clientRights,
  isAccessToken,
  rightsOfKey
} from "../../core/platform/identity/index.js"
import { type CallerShape, type Fault, isFault, Unauthorized } from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import type { AppOptions } from "../http/app.js"
import { internal, type WireError, wireError } from "../http/errors.js"
import { bearerOf } from "../http/serve-row.js"

/** A caller of MCP, by a key or by the access token that a person let a client have. */
export interface Admitted {
  readonly caller: CallerShape
  readonly key: Pick<ApiKey, "id"> | null
  /** Names the key, or the session of the console that the client acts by. */
  readonly holder: string
  /** Whether the holder would still be admitted to the workspace. */
  readonly isGood: Effect.Effect<boolean, never, Ports | Wired>
}

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

const signatureOf = (name: string, request: Request, { caller, holder }: Admitted): Buffer =>
  createHmac("sha256", bearerOf(request) ?? "")
    .update(`kanon-mcp-session ${holder} ${caller.workspace} ${name}`)
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

const admission = (
  secret: string,
  workspace: string | undefined
): Effect.Effect<Admitted, Fault, Ports | Wired> =>
  isAccessToken(secret)
    ? Effect.map(admitClient(secret, workspace, "mcp"), ({ caller, session }): Admitted => {
        const isGood = Effect.isSuccess(clientRights(session.id, caller.workspace))
        return { caller, key: null, holder: session.id, isGood }
      })
    : Effect.map(admit(secret, workspace, "mcp"), ({ caller, key }): Admitted => {
        const isGood = Effect.map(rightsOfKey(key.id, caller.workspace), Option.isSome)
        return { caller, key, holder: key.id, isGood }
      })

/** Authenticates a request by its key or its access token. */
export const admitRequest = async (
  request: Request,
  runtime: AppOptions["runtime"],
  span: Tracer.Span | undefined
): Promise<Either.Either<Admitted, WireError>> => {
  const secret = bearerOf(request)
  const workspace = request.headers.get("x-workspace-id") ?? undefined
  const admitted = secret === undefined ? Effect.fail(new Unauthorized()) : admission(secret, workspace)
  const exit = await runtime.runPromiseExit(
    span === undefined ? admitted : Effect.withParentSpan(admitted, span)
  )
  if (Exit.isSuccess(exit)) return Either.right(exit.value)
  const fault = Cause.squash(exit.cause)
  return Either.left(isFault(fault) ? wireError(fault) : internal)
}
