import * as Layer from "effect/Layer"
import { rdfReader } from "../../adapters/rdf/reader.js"
import { sqlEntityStore } from "../../adapters/sql/entity-store.js"
import { sqlGraphStore } from "../../adapters/sql/graph-store.js"
import { sqlVocabularyReader } from "../../adapters/sql/vocabulary-reader.js"
import { sqlVocabularyStore } from "../../adapters/sql/vocabulary-store.js"
import { snapshotOf } from "../../adapters/sqlite/workspace-archive.js"
import { baseLayer } from "../support/run.js"
import { rdfReaderContract, vocabularyReaderContract, vocabularyStoreContract } from "./vocabulary.js"

const stores = () =>
  Layer.provideMerge(
    Layer.mergeAll(
      sqlVocabularyStore,
      sqlVocabularyReader(snapshotOf(":memory:")),
      sqlEntityStore,
      sqlGraphStore
    ),
    baseLayer()
  )

vocabularyStoreContract("SQLite", stores)
vocabularyReaderContract("SQLite", stores)
rdfReaderContract("in place", () => rdfReader(null))
