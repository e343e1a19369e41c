import * as Layer from "effect/Layer"
import { isOwnerGone } from "../host/process-owner.js"
import { sqlDocumentInspection } from "../sql/document-inspection.js"
import { sqlVersionInspection } from "../sql/document-version-inspection.js"
import { sqlEntityInspection } from "../sql/entity-inspection.js"
import { sqlGraphInspection } from "../sql/graph-inspection.js"
import { sqlJobInspection } from "../sql/job-inspection.js"
import { sqlRetrievalInspection } from "../sql/retrieval-inspection.js"
import { vectorIndexInspection } from "../vectors/inspection.js"
import { sqliteStorage } from "./storage.js"

/** What `kanon doctor` looks through; a folder of null keeps no vector index on disk. */
export const sqliteInspections = (folder: string | null) =>
  Layer.mergeAll(
    sqliteStorage,
    sqlDocumentInspection,
    sqlVersionInspection,
    sqlEntityInspection,
    sqlGraphInspection,
    sqlRetrievalInspection,
    sqlJobInspection({ isOwnerGone }),
    vectorIndexInspection(folder)
  )
