import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { dialect } from "../dialect.js"

/** What vocabularies say of their schemes and collections: once, and not with each concept that is in one. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { clustered } = dialect(sql)
  yield* sql`create table vocabulary_grouping (
    workspace_id text not null,
    iri text not null,
    details text not null,
    primary key (workspace_id, iri)
  ) ${clustered}`
})
