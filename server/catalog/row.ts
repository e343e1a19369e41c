import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Stream from "effect/Stream"
import type { z } from "zod"
import type { Wired } from "../../core/engine/engine/index.js"
import {
  type Caller,
  type Fault,
  type FaultTag,
  type Operation,
  type ReplyNotes,
  readInput,
  runOperation
} from "../../core/platform/kernel/index.js"
import type { Ports } from "../../core/ports.js"

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE"

/** Services that operations may need of the server: the ports, the core's services, and the caller. */
export type Served = Ports | Wired | Caller

/** The contract spells the error of a bad query parameter in three ways. */
export type ParameterError = "invalid_params" | "invalid-params" | "invalid-pagination"

/** Another form of an answer, of any length: sent while it is read. */
interface Streamed<Input> {
  readonly mediaType: string
  /** The status with which it begins; the row's by default. */
  readonly status?: 200
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it goes on as things happen: whoever does not read it is dropped then. */
  readonly isLive?: boolean
  /** The query parameter that chooses this form; `Accept` with the media type does as well where it is left out. */
  readonly chosenBy?: { readonly field: string; readonly value: string }
  /** Description of the form, for the documentation. */
  readonly meaning: string
  /** The value of each event, for streams of events, with one example for each kind. */
  readonly event?: { readonly schema: z.ZodType; readonly examples: Readonly<Record<string, unknown>> }
  /** Whether the answer has no other form. */
  readonly isOnly?: boolean
  /** The answer as text; null where the input asks for the usual form. */
  readonly open: (input: Input) => Effect.Effect<Stream.Stream<string, never, Served> | null, Fault, Served>
}

/** A status that some results have. */
interface Otherwise<Output> {
  readonly status: 200 | 201
  readonly when: (result: Output) => boolean
}

/** An operation on the wire. */
export interface Row {
  readonly operation: Pick<
    Operation<string, z.ZodObject, z.ZodType, FaultTag, Served>,
    "name" | "summary" | "scopes" | "effect" | "input" | "output" | "faults"
  >
  /** Checks the caller's right and the input, and does the work. */
  readonly run: (input: unknown) => Effect.Effect<unknown, Fault, Served>
  readonly method: Method
  /** With `{name}` for each parameter; each is a field of the operation's input. */
  readonly path: string
  /** The status of success. */
  readonly status: 200 | 201 | 202
  /** Another status of success, and which results have it. */
  readonly otherwise: Otherwise<unknown> | null
  /** How a bad query parameter is spelled. */
  readonly badParameter: ParameterError
  /** Whether a `conflict` names what stands in the way. */
  readonly namesHolder: boolean
  /** Fields of the input that are query parameters although the method has a body. */
  readonly query: ReadonlyArray<string>
  /** Headers of its responses beside those that all have, each with what the reply notes under a name. */
  readonly headers: Readonly<Record<string, { readonly note: keyof ReplyNotes; readonly meaning: string }>>
  /** Maximum number of values of its body. */
  readonly bodyValues: number
  /** The form in which it is streamed, where there is one. */
  readonly streamed: Streamed<unknown> | null
  /** Whether clients receive parts and result as events when their `Accept` prefers `text/event-stream`, or always. */
  readonly staged: boolean | "always"
  /** The tool under which MCP shows it; not shown where null. */
  readonly tool: { readonly name: string; readonly destructive: boolean } | null
}

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never

/** Binds an operation to a method and a path. A `{parameter}` that is no field of its input does not compile. */
export const row = <
  Name extends string,
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Path extends `/api/v1/${string}` | `/console/${string}`
>(
  operation: Operation<Name, Input, Output, Tag, Served>,
  method: Method,
  path: ParameterOf<Path> extends keyof Input["shape"] ? Path : never,
  options: Partial<
    Pick<Row, "status" | "badParameter" | "query" | "headers" | "namesHolder" | "bodyValues">
  > & {
    readonly destructive?: boolean
    readonly streamed?: Streamed<z.output<Input>>
    readonly staged?: boolean | "always"
    readonly otherwise?: Otherwise<z.output<Output>>
  } = {}
): Row => ({
  operation,
  run: (input) => runOperation(operation, input),
  method,
  path,
  status: options.status ?? 200,
  otherwise: options.otherwise === undefined ? null : among(operation.output, options.otherwise),
  badParameter: options.badParameter ?? "invalid_params",
  query: options.query ?? [],
  namesHolder: options.namesHolder ?? false,
  headers: options.headers ?? {},
  bodyValues: options.bodyValues ?? 50_000,
  streamed: options.streamed === undefined ? null : checkedFirst(operation.input, options.streamed),
  staged: options.staged ?? false,
  tool:
    operation.tool === undefined ? null : { name: operation.tool, destructive: options.destructive ?? false }
})

/** The same for results whose type is no longer known. */
const among = <Output extends z.ZodType>(
  output: Output,
  { status, when }: Otherwise<z.output<Output>>
): Otherwise<unknown> => ({
  status,
  when: (result) => {
    const known = output.safeParse(result)
    return known.success && when(known.data)
  }
})

/** Checks the input before the stream opens, so that problems of the input are reported in the usual form. */
const checkedFirst = <Input extends z.ZodObject>(
  schema: Input,
  { open, ...form }: Streamed<z.output<Input>>
): Streamed<unknown> => ({
  ...form,
  open: (input) => {
    const read = readInput(schema, input)
    return Either.isLeft(read) ? Effect.succeed(null) : open(read.right)
  }
})

/** The names of the parameters in a path. */
export const parametersOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{([a-zA-Z]+)\}/g)].map(([, name = ""]) => name)

/** Returns the part of the request that carries a field of a row's input. */
export const placeOf = ({ method, path, query }: Row, field: string): "path" | "query" | "body" => {
  if (parametersOf(path).includes(field)) return "path"
  return method === "GET" || method === "DELETE" || query.includes(field) ? "query" : "body"
}
