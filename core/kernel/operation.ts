import * as Effect from "effect/Effect"
import type { z } from "zod"
import { Caller } from "./caller.js"
import { type FaultOf, type FaultTag, InsufficientScope, InvalidInput, NotFound } from "./fault.js"
import { isOfNoId, nounOfNoId } from "./ids.js"
import type { Scope } from "./scope.js"

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

/** Whether a caller with these rights may call the operation; without a list of rights a caller has them all. */
export const mayCall = (
  { scopes }: { readonly scopes: ReadonlyArray<Scope> },
  held: ReadonlyArray<Scope> | undefined
): boolean => held === undefined || scopes.some((scope) => held.includes(scope))

/**
 * Runs an operation for the caller in the context: the caller's right first, then the input against the
 * operation's schema, then the work. An id of the wrong form is one that nothing has.
 */
export const runOperation = Effect.fnUntraced(function* <
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
>(
  declaration: Operation<Name, Input, Output, Tag, Needs>,
  input: unknown
): Effect.fn.Return<
  z.input<Output>,
  FaultOf<NoInfer<Tag>> | InvalidInput | InsufficientScope | NotFound,
  Needs | Caller
> {
  const { scopes } = yield* Caller
  if (!mayCall(declaration, scopes)) return yield* new InsufficientScope({ wanted: declaration.scopes })
  const parsed = declaration.input.safeParse(input)
  if (!parsed.success) {
    const mayMiss = declaration.faults.some((tag) => tag === "NotFound")
    if (mayMiss && isOfNoId(parsed.error)) return yield* new NotFound({ what: nounOfNoId(parsed.error) })
    return yield* asInvalid(parsed.error)
  }
  return yield* declaration.run(parsed.data)
})

/** What zod found wrong, in the words of the contract. */
export const asInvalid = (error: z.ZodError): InvalidInput =>
  new InvalidInput({
    issues: error.issues.map((issue) => ({
      path: issue.path.map((step) => (typeof step === "number" ? step : String(step))),
      code: issue.code,
      message: messageOf(issue)
    }))
  })

/** Of a choice of forms what each of them expects, where the choice has no words of its own. */
const messageOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== "invalid_union" || issue.message !== "Invalid input") return issue.message
  const wanted = new Set(issue.errors.flatMap(([first]) => (first === undefined ? [] : messageOf(first))))
  return wanted.size === 0 ? issue.message : [...wanted].join(" Or: ")
}
