import * as Layer from "effect/Layer"
import { postgresClient, snapshotOf as postgresSnapshotOf } from "../../adapters/postgres/client.js"
import { rdfReader } from "../../adapters/rdf/reader.js"
import { sqlEntityStore } from "../../adapters/sql/knowledge/entities/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/knowledge/graph/graph-store.js"
import { sqlVocabularyStore } from "../../adapters/sql/knowledge/vocabulary/vocabulary-store.js"
import { snapshotOf } from "../../adapters/sqlite/client.js"
import { onPostgres } from "../support/postgres.js"
import { baseLayer, storesOn } from "../support/run.js"
import { rdfReaderContract, vocabularyStoreContract } from "./vocabulary.js"

type Snapshot = Parameters<typeof sqlVocabularyStore>[0]

const stores = (snapshot: Snapshot) =>
  Layer.mergeAll(sqlVocabularyStore(snapshot), sqlEntityStore, sqlGraphStore)

const onSqlite = () => Layer.provideMerge(stores(snapshotOf(":memory:")), baseLayer())
const onServer = () =>
  onPostgres((url) => Layer.provideMerge(stores(postgresSnapshotOf(url)), storesOn(postgresClient({ url }))))

vocabularyStoreContract("SQLite", onSqlite)
vocabularyStoreContract("Postgres", onServer)
rdfReaderContract("in place", () => rdfReader(null))
