import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SecretStore } from "../../../../core/platform/workspace/index.js"

import { done, hasRows, readAll } from "../../rows.js"
import { secretIdFrom } from "../identity/holder-rows.js"

/** Row of the table `secret`: a credential as it was sealed. */
interface SecretRow {
  readonly id: string
  readonly sealed: string
}

export const secrets: Effect.Effect<SecretStore, never, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    find: (workspace, id) =>
      sql<SecretRow>`select id, sealed from secret where workspace_id = ${workspace} and id = ${id}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullable(row), ({ sealed }) => sealed)),
        Effect.orDie
      ),
    list: (workspace) =>
      sql<SecretRow>`select id, sealed from secret where workspace_id = ${workspace} order by id`.pipe(
        readAll(({ id, sealed }) => ({ id: secretIdFrom(id), sealed }))
      ),
    insert: (workspace, { id, sealed }, at) =>
      done(sql`insert into secret ${sql.insert({ workspace_id: workspace, id, sealed, created_at: at })}`),
    reseal: (workspace, { id, sealed }, before) =>
      sql`update secret set sealed = ${sealed}
          where workspace_id = ${workspace} and id = ${id} and sealed = ${before} returning id`.pipe(hasRows),
    remove: (workspace, id) => done(sql`delete from secret where workspace_id = ${workspace} and id = ${id}`)
  }
})
