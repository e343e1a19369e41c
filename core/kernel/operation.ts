import * as Effect from "effect/Effect"
import type { z } from "zod"
import { Caller } from "./caller.js"
import { type FaultOf, type FaultTag, InsufficientScope, InvalidInput, NotFound } from "./fault.js"
import { isMalformedId, nounOfMalformedId } from "./ids.js"
import type { Scope } from "./scope.js"

/** A public operation: its input, output, possible faults and the effect that implements it. */
export interface Operation<
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
> {
  /** The operationId on the wire. */
  readonly name: Name
  /** One sentence for documentation. */
  readonly summary: string
  /** Any one of these scopes suffices; the first is preferred. */
  readonly scopes: readonly [Scope, ...ReadonlyArray<Scope>]
  /** Retry semantics: a `read` changes nothing, an `idempotent` write may be repeated. */
  readonly effect: "read" | "idempotent" | "write"
  readonly input: Input
  readonly output: Output
  readonly faults: ReadonlyArray<Tag>
  readonly run: (input: z.output<Input>) => Effect.Effect<z.input<Output>, FaultOf<NoInfer<Tag>>, Needs>
}

/** Declares an operation. `faults` must list every fault with which `run` can fail. */
export const operation = <
  const Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
>(
  declaration: Operation<Name, Input, Output, Tag, Needs>
): Operation<Name, Input, Output, Tag, Needs> => declaration

/** Whether a caller with these scopes may call the operation; a caller without a list of scopes may call any. */
export const mayCall = (
  { scopes }: { readonly scopes: ReadonlyArray<Scope> },
  held: ReadonlyArray<Scope> | undefined
): boolean => held === undefined || scopes.some((scope) => held.includes(scope))

/**
 * Runs an operation for the caller in the context: checks the caller's scope, then validates the input, then runs the
 * work. Reports a malformed id as NotFound.
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
    if (mayMiss && isMalformedId(parsed.error))
      return yield* new NotFound({ what: nounOfMalformedId(parsed.error) })
    return yield* asInvalid(parsed.error)
  }
  return yield* declaration.run(parsed.data)
})

/** Converts a zod error to the contract's InvalidInput. */
export const asInvalid = (error: z.ZodError): InvalidInput =>
  new InvalidInput({
    issues: error.issues.map((issue) => ({
      path: issue.path.map((step) => (typeof step === "number" ? step : String(step))),
      code: issue.code,
      message: messageOf(issue)
    }))
  })

/** For a union without a message of its own, lists what each alternative expects. */
const messageOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== "invalid_union" || issue.message !== "Invalid input") return issue.message
  const expected = new Set(issue.errors.flatMap(([first]) => (first === undefined ? [] : messageOf(first))))
  return expected.size === 0 ? issue.message : [...expected].join(" Or: ")
}
