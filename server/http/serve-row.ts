import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import { type Admitted, admit } from "../../core/identity/index.js"
import {
  Caller,
  type Fault,
  InsufficientScope,
  invalid,
  isFault,
  mayCall,
  NotFound,
  Unauthorized
} from "../../core/kernel/index.js"
import type { Row } from "../catalog/row.js"
import { readBody } from "./body.js"
import { internal, type WireError, wireError } from "./errors.js"
import { type Inputs, inputsOf, readJson, readQuery } from "./input.js"

export interface Limits {
  /** Largest body, in bytes. */
  readonly bodyBytes: number
  /** Longest time for a body to arrive, in milliseconds. */
  readonly bodyMs: number
}

/** What a request came to, and who asked, as far as that was known. */
export interface Outcome {
  readonly admitted: Admitted | null
  readonly result: Either.Either<unknown, WireError>
}

/**
 * Serves a row: key, workspace, right, body, input, work, in this order, so that an earlier refusal tells nothing
 * of what comes later. A defect is answered as `internal` and told in the log.
 */
export const serveRow = (row: Row, limits: Limits) => {
  const inputs = inputsOf(row)
  return (request: Request, url: URL, parameters: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      let admitted: Admitted | null = null
      const work = Effect.gen(function* () {
        const secret = bearerOf(request)
        if (secret === undefined) return yield* new Unauthorized()
        const workspace = request.headers.get("x-workspace-id") ?? undefined
        admitted = yield* admit(secret, workspace, "api")
        if (!mayCall(row.operation, admitted.caller.scopes))
          return yield* new InsufficientScope({ wanted: row.operation.scopes })
        const input = yield* readInput(row, inputs, request, url, parameters, limits)
        return yield* Effect.provideService(row.run(input), Caller, admitted.caller)
      })
      const exit = yield* Effect.exit(work)
      if (Exit.isSuccess(exit)) return { admitted, result: Either.right(exit.value) } satisfies Outcome
      // Whoever has gone away is not answered.
      if (Cause.isInterruptedOnly(exit.cause)) return yield* Effect.interrupt
      const error = yield* describe(exit.cause, row)
      return { admitted, result: Either.left(error) } satisfies Outcome
    })
}

/** The secret of a bearer header; the word's case does not matter. */
export const bearerOf = ({ headers }: Request): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(headers.get("authorization") ?? "")?.[1]

const readInput = (
  row: Row,
  inputs: Inputs,
  request: Request,
  url: URL,
  parameters: Readonly<Record<string, string>>,
  limits: Limits
) =>
  Effect.gen(function* () {
    const bytes = inputs.hasBody
      ? yield* readBody(request, { bytes: limits.bodyBytes, timeMs: limits.bodyMs })
      : undefined
    if (inputs.hasBody && bytes === undefined && !inputs.bodyIsOptional)
      return yield* invalid([], "invalid_json", "A JSON body is needed.")
    const body = bytes === undefined ? {} : yield* readJson(bytes)
    const query = yield* readQuery(url.searchParams, inputs)
    // An id of the wrong form is one that nothing has.
    for (const name of inputs.parameters) {
      const schema = row.operation.input.shape[name]
      if (schema !== undefined && !("safeParse" in schema && isGood(schema, parameters[name])))
        return yield* new NotFound({ what: name })
    }
    return { ...own(body, row, inputs), ...query, ...parameters }
  })

const isGood = (schema: { readonly safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

/** The fields of the body that belong there: what stands in the path or the query cannot be set by it. */
const own = (body: Record<string, unknown>, row: Row, { parameters, query }: Inputs) =>
  Object.fromEntries(
    Object.keys(row.operation.input.shape)
      .filter((name) => !parameters.includes(name) && !query.has(name) && Object.hasOwn(body, name))
      .map((name) => [name, body[name]])
  )

const describe = (cause: Cause.Cause<unknown>, row: Row): Effect.Effect<WireError> => {
  // What is wrong with the data as a whole comes as a defect.
  const error = Cause.squash(cause)
  if (isFault(error)) return Effect.as(noted(error), wireError(error, row))
  if (isTagged(error, "PayloadTooLarge"))
    return Effect.succeed({
      status: 413,
      body: { error: "payload_too_large", message: "The body is larger than this server takes." }
    })
  if (isTagged(error, "UnsupportedMediaType"))
    return Effect.succeed({
      status: 415,
      body: { error: "unsupported_media_type", message: "The body must be application/json." }
    })
  if (isTagged(error, "BodyUnread"))
    return Effect.succeed({
      status: 408,
      body: { error: "request_timeout", message: "The body did not arrive in time." },
      headers: { connection: "close" }
    })
  return Effect.as(Effect.logError("A request failed.", cause), internal)
}

/** What the client is not told of a fault stands in the log. */
const noted = (fault: Fault) =>
  fault._tag === "VaultUnavailable" ? Effect.logError(fault.message) : Effect.void

const isTagged = (error: unknown, tag: string): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === tag
