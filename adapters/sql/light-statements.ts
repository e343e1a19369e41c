import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { currentTransformer, FragmentId, isFragment, type Statement } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import type { RuntimeFiber } from "effect/Fiber"
import * as Option from "effect/Option"
import { isTraced } from "../../core/kernel/index.js"
import { dialect } from "./dialect.js"

/** A connection that can answer while it is asked, without a fiber that waits. */
export interface AtOnce {
  readonly atOnce: (
    text: string,
    values: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<object>, SqlError>
}

/**
 * The client, with less between a statement and the connection that runs it. As the library runs it, each statement
 * makes a span and a scope, and the scope a copy of all services: three quarters of what a short statement on SQLite
 * takes. Ours hold their connection already, in a unit of work and outside, so nothing is taken or given back; and the
 * text of a statement that is nothing but words and values is put together once. Where somebody takes the spans or
 * looks at statements, they run as the library has them.
 *
 * @param alone What runs statements that belong to no unit of work.
 */
export const lightStatements = (
  client: SqlClient.SqlClient,
  alone: Connection & Partial<AtOnce>
): SqlClient.SqlClient => {
  const runner = { client, alone, wordings: wordingsOf(client) }
  const tagged = (given: TemplateStringsArray | string, ...values: ReadonlyArray<unknown>) =>
    typeof given === "string" ? client(given) : new LightStatement(runner, given, values)
  const unsafe: SqlClient.SqlClient["unsafe"] = (text, values) =>
    new LightStatement(runner, text, values ?? [])
  return Object.assign(tagged, client, { unsafe }) as SqlClient.SqlClient
}

interface Runner {
  readonly client: SqlClient.SqlClient
  readonly alone: Connection & Partial<AtOnce>
  readonly wordings: (words: TemplateStringsArray, given: ReadonlyArray<unknown>) => Wording | undefined
}

/** The text of a statement that differs from call to call in what is bound alone. */
interface Wording {
  readonly text: string
  /** Of each place the words that stand there; undefined where a value is bound. */
  readonly words: ReadonlyArray<object | undefined>
  readonly isBoundWhole: boolean
}

/** What remembers texts, by the place in the program where they stand. */
const wordingsOf = (client: SqlClient.SqlClient): Runner["wordings"] => {
  const { placeholder } = dialect(client)
  const known = new WeakMap<TemplateStringsArray, Wording>()
  return (words, given) => {
    const before = known.get(words)
    if (before !== undefined && given.every((one, place) => partOf(one) === before.words[place]))
      return before
    let text = words[0] ?? ""
    let bound = 0
    for (const [place, one] of given.entries()) {
      const here = partOf(one) === undefined ? placeholder(++bound) : wordsIn(one)
      if (here === undefined) return undefined
      text += here + words[place + 1]
    }
    const wording = { text, words: given.map(partOf), isBoundWhole: bound === given.length }
    known.set(words, wording)
    return wording
  }
}

/** A part of a statement; undefined for what is bound as it is. */
const partOf = (given: unknown): object | undefined =>
  typeof given !== "object" || given === null || given instanceof Uint8Array ? undefined : given

/** What a part says, where it is nothing but words. */
const wordsIn = (part: unknown): string | undefined => {
  if (!isFragment(part)) return undefined
  let text = ""
  for (const segment of part.segments) {
    if (segment._tag !== "Literal" || (segment.params?.length ?? 0) > 0) return undefined
    text += segment.value
  }
  return text
}

/** A statement that is run with no more than it needs; for all else it is the library's, made when that is asked for. */
class LightStatement<Row extends object>
  extends Effectable.Class<ReadonlyArray<Row>, SqlError>
  implements Statement<Row>
{
  readonly #runner: Runner
  readonly #words: TemplateStringsArray | string
  readonly #values: ReadonlyArray<unknown>
  #whole: Statement<Row> | undefined = undefined

  constructor(runner: Runner, words: TemplateStringsArray | string, values: ReadonlyArray<unknown>) {
    super()
    this.#runner = runner
    this.#words = words
    this.#values = values
  }

  get [FragmentId]() {
    return this.#library[FragmentId]
  }
  get segments() {
    return this.#library.segments
  }
  get raw() {
    return this.#library.raw
  }
  get withoutTransform() {
    return this.#library.withoutTransform
  }
  get stream() {
    return this.#library.stream
  }
  get values() {
    return this.#library.values
  }
  get unprepared() {
    return this.#library.unprepared
  }

  compile(withoutTransform?: boolean): readonly [sql: string, params: ReadonlyArray<unknown>] {
    if (typeof this.#words === "string") return [this.#words, this.#values]
    const wording = this.#runner.wordings(this.#words, this.#values)
    if (wording === undefined) return this.#library.compile(withoutTransform)
    const bound = wording.isBoundWhole
      ? this.#values
      : this.#values.filter((_, place) => wording.words[place] === undefined)
    return [wording.text, bound]
  }

  commit(): Effect.Effect<ReadonlyArray<Row>, SqlError> {
    return Effect.withFiberRuntime((fiber) => this.#run(fiber))
  }

  get #library(): Statement<Row> {
    const { client } = this.#runner
    this.#whole ??=
      typeof this.#words === "string"
        ? client.unsafe<Row>(this.#words, this.#values)
        : client<Row>(this.#words, ...(this.#values as ReadonlyArray<never>))
    return this.#whole
  }

  #run(fiber: RuntimeFiber<ReadonlyArray<Row>, SqlError>) {
    if (isTraced(fiber) || Option.isSome(fiber.getFiberRef(currentTransformer))) return this.#library
    const [text, values] = this.compile()
    const unit = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
    const connection: Connection & Partial<AtOnce> = Option.isSome(unit) ? unit.value[0] : this.#runner.alone
    const rows =
      connection.atOnce === undefined
        ? connection.execute(text, values, undefined)
        : connection.atOnce(text, values)
    return rows as Effect.Effect<ReadonlyArray<Row>, SqlError>
  }
}
