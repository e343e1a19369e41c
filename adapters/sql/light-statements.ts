import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { currentTransformer, type Statement } from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isTraced } from "../../core/kernel/index.js"

/**
 * The client, with less between a statement and the connection that runs it. As the library runs it, each statement
 * makes a span and a scope, and the scope a copy of all services: three quarters of what a short statement on SQLite
 * takes. Ours hold their connection already, in a unit of work and outside, so nothing is taken or given back. Where
 * somebody takes the spans or looks at statements, they run as the library has them.
 *
 * @param alone What runs statements that belong to no unit of work.
 */
export const lightStatements = (client: SqlClient.SqlClient, alone: Connection): SqlClient.SqlClient => {
  const light = <Row extends object>(statement: Statement<Row>): Statement<Row> => {
    const run = (): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
      Effect.withFiberRuntime((fiber) => {
        if (isTraced(fiber) || Option.isSome(fiber.getFiberRef(currentTransformer)))
          return asItComes(statement)
        const unit = Context.getOption(fiber.currentContext, SqlClient.TransactionConnection)
        const [text, values] = statement.compile()
        const connection = Option.isSome(unit) ? unit.value[0] : alone
        return connection.execute(text, values, undefined) as Effect.Effect<ReadonlyArray<Row>, SqlError>
      })
    // What the runtime calls for a value that is an effect and tells itself how it is run.
    return Object.assign(statement, { commit: run })
  }
  const asItComes = <Row extends object>(statement: Statement<Row>) =>
    client.unsafe<Row>(...statement.compile())
  const tagged = (given: TemplateStringsArray | string, ...values: ReadonlyArray<unknown>) =>
    typeof given === "string" ? client(given) : light(client(given, ...values))
  const unsafe: SqlClient.SqlClient["unsafe"] = (text, values) => light(client.unsafe(text, values))
  return Object.assign(tagged, client, { unsafe }) as SqlClient.SqlClient
}
