import * as Effect from "effect/Effect"
import type { z } from "zod"
import type { Caller } from "./caller.js"
import { type FaultOf, type FaultTag, InvalidInput } from "./fault.js"

/** The rights that a key may carry, as the contract names them. */
export type Scope =
  | "agents:run"
  | "runs:read"
  | "kb:read"
  | "kb:write"
  | "data:read"
  | "data:run"
  | "reports:read"
  | "reports:write"
  | "workspace:admin"

/** A public operation: what it takes, gives, may fail with, and the effect that serves it. */
export interface Operation<
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
> {
  /** The operationId on the wire. */
  readonly name: Name
  /** One sentence for people. */
  readonly summary: string
  /** Either is accepted, the first preferred. */
  readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
  /** What a retry may do: a `read` changes nothing, an `idempotent` write may be repeated. */
  readonly effect: "read" | "idempotent" | "write"
  readonly input: Input
  readonly output: Output
  readonly faults: ReadonlyArray<Tag>
  readonly run: (input: z.output<Input>) => Effect.Effect<z.input<Output>, FaultOf<NoInfer<Tag>>, Needs>
}

/** Declares an operation. The faults that `run` can fail with must all be listed. */
export const operation = <
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
>(
  declaration: Operation<Name, Input, Output, Tag, Needs>
): Operation<Name, Input, Output, Tag, Needs> => declaration

/** Checks the input against the operation's schema and runs it for the caller in the context. */
export const runOperation = <
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
>(
  declaration: Operation<Name, Input, Output, Tag, Needs>,
  input: unknown
): Effect.Effect<z.input<Output>, FaultOf<NoInfer<Tag>> | InvalidInput, Needs | Caller> => {
  const parsed = declaration.input.safeParse(input)
  if (parsed.success) return declaration.run(parsed.data)
  return Effect.fail(
    new InvalidInput({
      issues: parsed.error.issues.map((issue) => ({
        path: issue.path.map((step) => (typeof step === "number" ? step : String(step))),
        code: issue.code,
        message: issue.message
      }))
    })
  )
}
