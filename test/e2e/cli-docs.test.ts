import { describe, expect, it } from "vitest"
import type { z } from "zod"
import { GroundingReport, StructuredAnswer } from "../../core/answers/answering/index.js"
import {
  DocumentMoveResult,
  DocumentPage,
  DocumentSaveResult,
  DocumentVersionPage,
  DocumentWithContent
} from "../../core/files/documents/index.js"
import { CurationMeta, Entity, EntityPage } from "../../core/knowledge/entities/index.js"
import { Neighborhood } from "../../core/knowledge/graph/index.js"
import { JobPage } from "../../core/platform/jobs/index.js"
import { DeleteAck, faultCodes } from "../../core/platform/kernel/index.js"
import { SearchResponse } from "../../core/search/retrieval/index.js"
import { RestoreAck, TrashPage } from "../../core/upkeep/trash/index.js"
import { kanon } from "../../server/cli/commands.js"
import {
  auditShapes,
  curationShapes,
  DatabaseStatus,
  DoctorResult,
  ExportResult,
  ImportResult,
  IngestReport,
  InitResult,
  MigrateResult,
  RetriedJobs,
  StatusResult,
  serverShapes
} from "../support/cli-shapes.js"
import { fences } from "../support/docs.js"
import { governanceShapes } from "../support/governance-shapes.js"
import { filesUnder, textOf } from "../support/tree.js"

const text = textOf("docs/cli.md")
const blocks = fences().filter(({ page }) => page === "docs/cli-reference.md")

/** The shape that an example must have, by the name that its fence gives. */
const shapes: Readonly<Record<string, z.ZodObject>> = {
  init: InitResult,
  ingest: IngestReport,
  search: SearchResponse,
  ask: StructuredAnswer,
  "grounding-check": GroundingReport,
  documents: DocumentPage,
  document: DocumentWithContent,
  deleted: DeleteAck,
  restored: DocumentSaveResult,
  moved: DocumentMoveResult,
  versions: DocumentVersionPage,
  entities: EntityPage,
  entity: Entity.extend({ curation: CurationMeta }),
  neighborhood: Neighborhood,
  ...curationShapes,
  ...governanceShapes,
  ...auditShapes,
  trash: TrashPage,
  "trash-restored": RestoreAck,
  jobs: JobPage,
  retried: RetriedJobs,
  ...serverShapes,
  status: StatusResult,
  doctor: DoctorResult,
  migrated: MigrateResult,
  database_status: DatabaseStatus,
  exported: ExportResult,
  imported: ImportResult
}

describe("the pages on the command line", () => {
  const examples = blocks.filter(({ language }) => language === "json")

  it("shows the result of every command once", () => {
    expect(examples.map(({ attributes }) => attributes["shape"]).sort()).toEqual(Object.keys(shapes).sort())
  })

  it.each(examples.map((fence) => [fence.attributes["shape"] ?? "", fence.text] as const))(
    "shows %s as the command prints it",
    (name, example) => {
      expect(shapes[name]?.strict().safeParse(JSON.parse(example)).error).toBeUndefined()
    }
  )

  it("shows every command at work", () => {
    const shown = fences()
      .filter(({ attributes }) => attributes["test"] !== undefined)
      .map((fence) => fence.text)
      .join("\n")
    const leaves = kanon.commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name]
        : command.commands.map(({ name }) => `${command.name} ${name}`)
    )
    expect(leaves.filter((one) => !shown.includes(`kanon ${one}`))).toEqual([])
  })

  it("lists every error code, and none that there is not", () => {
    const sources = filesUnder("server/cli").map(textOf).join("\n")
    const own = [...sources.matchAll(/\b(?:failed\(\s*|code: |error: )"([a-z_]+)"/g)].map(
      ([, code = ""]) => code
    )
    const listed = [...text.matchAll(/^\| `([a-z_-]+)` \| [\d, ]+ \|/gm)].map(([, code = ""]) => code)
    expect([...listed].sort()).toEqual([...new Set([...own, ...Object.values(faultCodes)])].sort())
  })

  it("lists every variable that is read", () => {
    const sources = [...filesUnder("server/cli"), ...filesUnder("adapters/models")].map(textOf).join("\n")
    const read = new Set(sources.match(/\bKANON_(?:DATA|DEBUG)\b|"KANON_(?:CHAT|EMBEDDING)"/g) ?? [])
    expect(read.size).toBeGreaterThan(0)
    for (const name of read) expect(text).toContain(name.replaceAll('"', ""))
  })
})
