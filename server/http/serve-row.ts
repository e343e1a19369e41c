import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  type ApiKey,
  admit,
  type Rights,
  rightsOfKey,
  stillHolds,
  stillReads
} from "../../core/platform/identity/index.js"
import {
  asInvalid,
  Caller,
  type CallerShape,
  defined,
  type Fault,
  InsufficientScope,
  InvalidInput,
  invalid,
  isFault,
  JsonBoundsReader,
  mayCall,
  NotFound,
  ReplyNote,
  type ReplyNotes,
  readInput,
  refuseUnstorable,
  Unauthorized
} from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"
import { StreamGuard } from "../catalog/live-events.js"
import type { Row } from "../catalog/row.js"
import { answerBody } from "./answer-events.js"
import { isJson, readBody } from "./body.js"
import type { BodyBudget } from "./body-budget.js"
import { internal, Refused, type WireError, wireError } from "./errors.js"
import { bodyBounds, type Inputs, inputsOf, readBodyFields, readJson, readQuery } from "./input.js"
import { liveStream } from "./live-stream.js"
import { eventStreamHeaders, eventStreamType, prefers, prefersEvents } from "./server-sent-events.js"

/** Runs operations. */
export type Runtime = Pick<
  ManagedRuntime.ManagedRuntime<Ports | Wired, unknown>,
  "runPromise" | "runPromiseExit"
>

export interface Limits {
  /** Maximum body size in bytes. */
  readonly bodyBytes: number
  /** Maximum time for a body to arrive, in milliseconds. */
  readonly bodyMs: number
  /** Maximum size of all bodies that are read or served at once. */
  readonly bodiesBytes: number
}

/** The limits of a request with the room for bodies that all requests share. */
export interface Bounds extends Limits {
  readonly budget: BodyBudget
}

/** The caller of a request, for logs. */
export interface KnownCaller {
  readonly caller: CallerShape
  readonly key: Pick<ApiKey, "id"> | null
}

/** A caller that is admitted to the server. */
export interface AdmittedCaller extends KnownCaller {
  /** Whether the caller would still be admitted with all of the scopes; streams ask again and again. */
  readonly stillAdmitted: Effect.Effect<boolean>
  /** Whether only operations that change nothing may be called. */
  readonly onlyReads?: boolean
}

/** Admits the caller of a request, or refuses it. */
export type Admission = (
  request: Request,
  url: URL
) => Effect.Effect<AdmittedCaller, Fault | Refused, Ports | Wired>

/** Admits the bearer of a key. */
export const keyAdmission: Admission = (request) => {
  const secret = bearerOf(request)
  if (secret === undefined) return new Unauthorized()
  return Effect.gen(function* () {
    const { caller, key } = yield* admit(secret, request.headers.get("x-workspace-id") ?? undefined, "api")
    return {
      caller,
      key,
      stillAdmitted: yield* asBefore(caller, rightsOfKey(key.id, caller.workspace), { key, userId: null })
    }
  })
}

/** Returns a check, for later, that the caller still has every scope of now and reads what it reads now. */
export const asBefore = <R>(
  caller: CallerShape,
  rights: Effect.Effect<Rights, never, R>,
  holder: Parameters<typeof stillReads>[1]
) =>
  Effect.map(Effect.context<R | Effect.Effect.Context<ReturnType<typeof stillReads>>>(), (services) =>
    Effect.provide(
      Effect.zipWith(
        rights,
        stillReads(caller, holder),
        (present, reads) => reads && stillHolds(caller.scopes ?? [], present)
      ),
      services
    )
  )

/** Outcome of a request with the caller, as far as known. */
interface Outcome {
  readonly admitted: AdmittedCaller | null
  readonly result: Either.Either<unknown, WireError>
  /** Response headers of the operation. */
  readonly headers?: Readonly<Record<string, string>>
  /** The streamed response, if any. */
  readonly stream?: {
    readonly mediaType: string
    readonly body: ReadableStream<Uint8Array>
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
  }
}

/**
 * Serves an operation: authentication, workspace, scope, body, input, execution, in this order, so that an earlier
 * rejection reveals nothing of later steps. A defect is answered as `internal` and logged.
 */
export const serveRow = (row: Row, bounds: Bounds, admission: Admission) => {
  let made: Inputs | undefined
  return (request: Request, url: URL, parameters: Readonly<Record<string, string>>, requestId: string) => {
    // Computed on first use, because computing it for all operations would slow down the start.
    made ??= inputsOf(row)
    const inputs = made
    let admitted: AdmittedCaller | null = null
    let stream: Outcome["stream"]
    let notes: ReplyNotes | undefined
    const note = (said: ReplyNotes) => {
      notes = said
    }
    const work = Effect.gen(function* () {
      admitted = yield* admission(request, url)
      const { stillAdmitted } = admitted
      if (!mayCall(row.operation, admitted.caller.scopes))
        return yield* new InsufficientScope({ wanted: row.operation.scopes })
      if (admitted.onlyReads === true && row.operation.effect !== "read") return yield* onlyReads
      const { workspace } = admitted.caller
      const body = mayHaveBody(row, inputs, request)
        ? yield* readFields(request, row, inputs, bounds, workspace)
        : {}
      const input = {
        ...(yield* inputOf(row, inputs, body, url, parameters)),
        ...acceptedForm(row, request, url)
      }
      const caller = { ...admitted.caller, requestId }
      const ofCaller = Context.add(Context.make(Caller, caller), StreamGuard, stillAdmitted)
      if (row.staged === "always" || (row.staged && prefersEvents(request)))
        stream = yield* Effect.provide(stagesOf(row, input, stillAdmitted), ofCaller)
      else if (row.streamed !== null) stream = yield* Effect.provide(streamOf(row.streamed, input), ofCaller)
      if (stream !== undefined) return null
      return yield* Effect.provide(row.run(input), Context.add(Context.make(Caller, caller), ReplyNote, note))
    })
    return Effect.matchCauseEffect(Effect.scoped(work), {
      onSuccess: (value) =>
        Effect.succeed<Outcome>({
          admitted,
          result: Either.right(value),
          headers: headersOf(row, notes),
          ...defined({ stream })
        }),
      onFailure: (cause) =>
        // The client has disconnected.
        Cause.isInterruptedOnly(cause)
          ? Effect.interrupt
          : Effect.map(describe(cause, row), (error): Outcome => ({ admitted, result: Either.left(error) }))
    })
  }
}

/** Returns the field that chooses another form, where the query leaves it out and the request accepts that form. */
const acceptedForm = (
  { streamed }: Row,
  request: Request,
  { searchParams }: URL
): Readonly<Record<string, string>> => {
  const { chosenBy, mediaType = "" } = streamed ?? {}
  return chosenBy === undefined || searchParams.has(chosenBy.field) || !prefers(request, mediaType)
    ? {}
    : { [chosenBy.field]: chosenBy.value }
}

/** Returns the answer as a stream with backpressure, if the input asks for one. */
const streamOf = Effect.fnUntraced(function* (streamed: NonNullable<Row["streamed"]>, input: unknown) {
  const text = yield* streamed.open(input)
  if (text === null) return undefined
  // Encode the lines of a page as one chunk.
  const pieces = Stream.encodeText(Stream.map(Stream.chunks(text), Chunk.join("")))
  const { headers, isLive, mediaType, status } = streamed
  return {
    mediaType,
    body: yield* isLive === true ? liveStream(pieces) : Stream.toReadableStreamEffect(pieces),
    ...defined({ status, headers })
  }
})

/** Returns the work and its result as events; what fails before the first of them is answered as usual. */
const stagesOf = (row: Row, input: unknown, stillAdmitted: AdmittedCaller["stillAdmitted"]) =>
  Effect.gen(function* () {
    const read = readInput(row.operation.input, input)
    if (Either.isLeft(read)) return yield* asInvalid(read.left)
    return {
      mediaType: eventStreamType,
      headers: eventStreamHeaders,
      body: yield* answerBody(row.run(input), (cause) => describe(cause, row), stillAdmitted)
    }
  })

const headersOf = ({ headers }: Row, notes: ReplyNotes | undefined): Readonly<Record<string, string>> =>
  notes === undefined
    ? {}
    : Object.fromEntries(Object.entries(headers).map(([name, { note }]) => [name, notes[note]]))

/** Returns the token of a bearer header; the scheme is case-insensitive. */
export const bearerOf = ({ headers }: Request): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(headers.get("authorization") ?? "")?.[1]

/** Returns whether a body is read: where there are fields for it, and JSON elsewhere, whose fields are refused. */
const mayHaveBody = ({ method }: Row, { body }: Inputs, { headers }: Request): boolean =>
  method !== "GET" && method !== "DELETE" && (body.length > 0 || isJson(headers.get("content-type")))

/** Returns the fields of the body; none if it is absent and optional. */
const readFields = Effect.fnUntraced(function* (
  request: Request,
  { bodyValues, operation }: Row,
  inputs: Inputs,
  { bodyBytes, bodyMs, budget }: Bounds,
  owner: string
) {
  const count = new JsonBoundsReader(bodyBounds(bodyValues))
  const bytes = yield* readBody(request, { bytes: bodyBytes, timeMs: bodyMs }, budget.of(owner), count)
  if (bytes !== undefined)
    return yield* Either.flatMap(readJson(bytes, count, operation.input), (fields) =>
      readBodyFields(fields, inputs)
    )
  return inputs.bodyIsOptional ? {} : yield* invalid([], "invalid_json", "A JSON body is needed.")
})

const inputOf = (
  row: Row,
  inputs: Inputs,
  body: Readonly<Record<string, unknown>>,
  url: URL,
  parameters: Readonly<Record<string, string>>
) =>
  Either.gen(function* () {
    yield* refuseUnstorable(parameters)
    const query = yield* readQuery(url.searchParams, inputs)
    const input = { ...body, ...query, ...parameters }
    const malformed = inputs.parameters.find((name) => {
      const schema = row.operation.input.shape[name]
      return schema !== undefined && !("safeParse" in schema && isGood(schema, parameters[name]))
    })
    if (malformed !== undefined) {
      // A malformed id is treated as not found, which is looked for after the rest of the input is read.
      yield* restOf(row, inputs, input)
      return yield* Either.left(new NotFound({ what: malformed }))
    }
    return input
  })

/** Fails when something other than a path parameter is wrong. */
const restOf = (row: Row, { parameters }: Inputs, input: Readonly<Record<string, unknown>>) =>
  Either.match(readInput(row.operation.input, input), {
    onRight: () => Either.void,
    onLeft: (error) => {
      const issues = asInvalid(error).issues.filter(
        ({ path: [first] }) => !parameters.includes(String(first))
      )
      return issues.length === 0 ? Either.void : Either.left(new InvalidInput({ issues }))
    }
  })

const isGood = (schema: { readonly safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success

const describe = (cause: Cause.Cause<unknown>, row: Row): Effect.Effect<WireError> => {
  // Faults of the data as a whole arrive as defects.
  const error = Cause.squash(cause)
  if (isFault(error)) return Effect.as(logFault(error), wireError(error, row))
  if (error instanceof Refused) return Effect.succeed(error.answer)
  if (isTagged(error, "PayloadTooLarge"))
    return Effect.succeed({
      status: 413,
      body: { error: "payload_too_large", message: "The body exceeds the limit of this server." }
    })
  if (isTagged(error, "UnsupportedMediaType"))
    return Effect.succeed({
      status: 415,
      body: {
        error: "unsupported_media_type",
        message: "The body must be application/json, and not compressed."
      }
    })
  if (isTagged(error, "BodyUnread"))
    return Effect.succeed({
      status: 408,
      body: { error: "request_timeout", message: "The body did not arrive in time." },
      headers: { connection: "close" }
    })
  if (isTagged(error, "BodiesTooMany")) return Effect.succeed(bodiesTooMany)
  return Effect.as(Effect.logError("A request failed.", cause), internal)
}

/** The answer to a body that found no room in time; nothing of it was read. */
const bodiesTooMany: WireError = {
  status: 503,
  body: { error: "busy", message: "The server holds too many large bodies. Nothing was changed; try again." },
  headers: { "retry-after": "5" }
}

/** The answer to a change by an administrator who sees the workspace as somebody else. */
const onlyReads = new Refused({
  answer: {
    status: 403,
    body: {
      error: "forbidden",
      message: "Nothing can be changed while the workspace is seen as a member sees it."
    }
  }
})

/** Logs the details of a fault that the client does not see. */
const logFault = (fault: Fault) =>
  fault._tag === "VaultUnavailable" ? Effect.logError(fault.message) : Effect.void

const isTagged = (error: unknown, tag: string): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === tag

/** Validates a response against its documented schema. */
export const checked = (outcome: Outcome, row: Row): Effect.Effect<Outcome> => {
  if (Either.isLeft(outcome.result) || outcome.stream !== undefined) return Effect.succeed(outcome)
  const { error } = row.operation.output.safeParse(outcome.result.right)
  if (error === undefined) return Effect.succeed(outcome)
  return Effect.as(
    Effect.logError(`The response of ${row.operation.name} breaks its schema: ${error.message}`),
    { ...outcome, result: Either.left(internal) }
  )
}
