import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { z } from "zod"
import { Caller, type Scope } from "./caller.js"
import { type FaultOf, type FaultTag, InsufficientScope, InvalidInput, NotFound } from "./fault.js"
import { isMalformedId, nounOfMalformedId } from "./ids.js"
import { fromReplica } from "./read-replicas.js"
import { unstorableTexts } from "./text.js"
import { undeclaredCodes, undeclaredFields } from "./undeclared-fields.js"
import { hiddenIn, withinView, withoutHidden, withVisibleNames } from "./visibility.js"

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
  /** The name under which MCP and agents show it as a tool; not shown where absent. */
  readonly tool?: `svc_${string}`
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

/** Fails when a caller's input holds text that cannot be stored, wherever it stands. */
export const refuseUnstorable = (input: unknown): Either.Either<void, InvalidInput> => {
  const issues = unstorableTexts(input)
  return issues.length > 0 ? Either.left(new InvalidInput({ issues })) : Either.void
}

/**
 * Reads a caller's input by a schema, after `refuseUnstorable`. Refuses fields that the schema does not declare, with
 * the nearest declared name.
 */
export const readInput = <Schema extends z.ZodType>(
  schema: Schema,
  input: unknown
): Either.Either<z.output<Schema>, InvalidInput | z.ZodError> =>
  Either.flatMap(refuseUnstorable(input), (): Either.Either<z.output<Schema>, InvalidInput | z.ZodError> => {
    const parsed = schema.safeParse(input)
    const undeclared = undeclaredFields(schema, input)
    if (undeclared.length === 0) return parsed.success ? Either.right(parsed.data) : Either.left(parsed.error)
    const others = parsed.success ? [] : asInvalid(parsed.error).issues
    const issues = [...undeclared, ...others.filter(({ code }) => code !== undeclaredCodes.field)]
    return Either.left(new InvalidInput({ issues: issues.slice(0, issuesMax) }))
  })

/**
 * Returns what is wrong with an input of which only the beginning was read, as far as the rest cannot change it: fields
 * that are not declared, and more than there may be.
 */
export const refuseBeginning = (schema: z.ZodType, beginning: unknown): Either.Either<void, InvalidInput> => {
  const read = readInput(schema, beginning)
  if (Either.isRight(read)) return Either.void
  const issues = asInvalid(read.left).issues.filter(
    ({ code }) => code === undeclaredCodes.field || code === "too_big"
  )
  return issues.length > 0 ? Either.left(new InvalidInput({ issues })) : Either.void
}

/**
 * Runs an operation for the caller in the context: checks the caller's scope, then validates the input, then runs the
 * work, that of a `read` at a replica where there is one. Reports a malformed id as NotFound, unless something else is wrong as well.
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
  const read = readInput(declaration.input, input)
  if (Either.isLeft(read)) {
    const mayMiss = declaration.faults.some((tag) => tag === "NotFound")
    if (mayMiss && !(read.left instanceof InvalidInput) && isMalformedId(read.left))
      return yield* new NotFound({ what: nounOfMalformedId(read.left) })
    return yield* asInvalid(read.left)
  }
  return yield* declaration.effect === "read"
    ? withinView(fromReplica(declaration.run(read.right)), read.right)
    : changeWithinView(declaration, read.right)
})

/**
 * Runs a change for a caller with a view: what is hidden in the input is unknown to it, because units of work see
 * everything.
 */
const changeWithinView = Effect.fnUntraced(function* <
  Name extends string,
  Input extends z.ZodType,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Needs
>(declaration: Operation<Name, Input, Output, Tag, Needs>, given: z.output<Input>) {
  const hidden = yield* hiddenIn(given)
  const parsed = hidden.size === 0 ? null : declaration.input.safeParse(withoutHidden(given, hidden))
  const changed = declaration.run(parsed?.success === true ? parsed.data : given)
  return yield* withVisibleNames(withinView(changed, given), given)
})

/** Number of issues, and length of a message, that are reported at most: a caller must not make a huge answer. */
const [issuesMax, messageMaxChars] = [100, 1000]

/** Converts a zod error to the contract's InvalidInput. */
export const asInvalid = (error: z.ZodError | InvalidInput): InvalidInput =>
  error instanceof InvalidInput
    ? error
    : new InvalidInput({
        issues: error.issues.slice(0, issuesMax).map((issue) => ({
          path: issue.path.map((step) => (typeof step === "number" ? step : String(step))),
          code: issue.code,
          message: messageOf(issue).slice(0, messageMaxChars)
        }))
      })

/** For a union without a message of its own, lists what each alternative expects. */
const messageOf = (issue: z.core.$ZodIssue): string => {
  if (issue.code !== "invalid_union" || issue.message !== "Invalid input") return issue.message
  const expected = new Set(issue.errors.flatMap(([first]) => (first === undefined ? [] : messageOf(first))))
  return expected.size === 0 ? issue.message : [...expected].join(" Or: ")
}

/** Acknowledges a soft deletion. */
export const DeleteAck = z.object({ deleted: z.boolean(), id: z.string() })
export type DeleteAck = z.infer<typeof DeleteAck>

/** Metadata of a reply that is not part of its body. */
export interface ReplyNotes {
  /** The persisted answer (`ans_…`). */
  readonly answerId: string
}

/** Receives the metadata of a reply, for transports that can carry it. Ignored by default. */
export class ReplyNote extends Context.Reference<ReplyNote>()("kanon/ReplyNote", {
  defaultValue:
    () =>
    (_notes: ReplyNotes): void =>
      undefined
}) {}

/** Adds metadata to the reply. */
export const noteReply = (notes: ReplyNotes): Effect.Effect<void> =>
  Effect.map(ReplyNote, (listener) => listener(notes))
