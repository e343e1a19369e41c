import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { currentTransformer, type Statement } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isTraced } from "../../core/platform/kernel/index.js"

/**
 * Returns the client with statements that run on the present connection without a span and a scope around each, which
 * would make a certify a fifth slower (docs/decisions/0027-effect-overhead.md). With a tracer or transformed statements
 * the library's implementation is used.
 *
 * @param alone Runs statements outside of a unit of work.
 */
export const lightStatements = (client: SqlClient.SqlClient, alone: Connection): SqlClient.SqlClient => {
  const tagged = (given: TemplateStringsArray | string, ...values: ReadonlyArray<never>) =>
    typeof given === "string" ? client(given) : withoutScope(client(given, ...values), alone)
  const unsafe: SqlClient.SqlClient["unsafe"] = (text, values) =>
    withoutScope(client.unsafe(text, values), alone)
  return Object.assign(tagged, client, { unsafe }) as SqlClient.SqlClient
}

const withoutScope = <Row extends object>(statement: Statement<Row>, alone: Connection): Statement<Row> => {
  const committed = statement as Committed<Row>
  const { commit } = committed
  committed.commit = () =>
    Effect.withFiberRuntime((fiber) => {
      if (isTraced(fiber) || Option.isSome(fiber.getFiberRef(currentTransformer)))
        return commit.call(committed)
      const unit = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
      const connection = Option.isSome(unit) ? unit.value[0] : alone
      const [text, values] = committed.compile()
      return connection.execute(text, values, undefined) as Effect.Effect<ReadonlyArray<Row>, SqlError>
    })
  return committed
}

/** The effect of a statement, as `Effectable.Class` declares it. */
interface Committed<Row> extends Statement<Row> {
  commit: () => Effect.Effect<ReadonlyArray<Row>, SqlError>
}
