import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { documentOperations } from "../core/files/documents/index.js"
import { entityOperations } from "../core/knowledge/entities/index.js"
import { graphOperations } from "../core/knowledge/graph/index.js"
import { AuditLog } from "../core/platform/audit/index.js"
import { runOperation } from "../core/platform/kernel/index.js"
import type { Ports } from "../core/ports.js"
import { compare, costOf, interleaved } from "./measure.js"
import type { RunBench, Size } from "./result.js"
import { statementsOf } from "./statements.js"
import { type BenchWorkspace, openWorkspace, withFolder } from "./workspace.js"

const pairsWanted: Readonly<Record<Size, number>> = { small: 2, default: 60, full: 200 }
const warmUp: Readonly<Record<Size, number>> = { small: 1, default: 600, full: 600 }
/** In one window: one is too short for a clock of the processor. */
const timesPerWindow = 5
const relations = 60

/** Measures what the audit event adds to operations that read much and write little. */
export const auditWrite: RunBench = async ({ report, size }) => {
  await withFolder(async (folder) => {
    const [told, silent] = [await open(join(folder, "told")), await open(join(folder, "silent"), untold)]
    const between = async (
      metric: string,
      work: (side: Side) => Work,
      costs: ReadonlyArray<"cpuMs" | "wallMs">
    ) => {
      const times = async ({ workspace }: Side, what: Work) => {
        for (let count = 0; count < timesPerWindow; count++) await workspace.run(what)
      }
      const [ours, floor] = [work(told), work(silent)]
      for (let count = 0; count < warmUp[size]; count++) {
        await times(told, ours)
        await times(silent, floor)
      }
      const pairs = await interleaved(
        pairsWanted[size],
        () => costOf(() => times(told, ours)),
        () => costOf(() => times(silent, floor))
      )
      for (const cost of costs)
        report({
          metric: `${metric}, ${cost === "cpuMs" ? "CPU" : "wall"}`,
          ...compare(pairs, (one) => one[cost] / timesPerWindow),
          unit: "ms",
          peer: "the same without its event",
          target: "<= 1.15"
        })
      const statements = "SQL statements"
      const [all, fewer] = [
        await statementsOf(told.workspace, ours),
        await statementsOf(silent.workspace, floor)
      ]
      report({
        metric: `${metric}, SQL statements`,
        ours: all[statements],
        floor: fewer[statements],
        ratio: null,
        n: 1,
        unit: "a call",
        peer: "the same without its event"
      })
    }
    const verify = ({ document }: Side) =>
      runOperation(documentOperations.verifyDocument, { id: document, verification: "verified" })
    const tryMerge = ({ entity, other }: Side) =>
      runOperation(graphOperations.mergeEntity, { id: other, intoId: entity, dryRun: true })
    await between("verify a document", verify, ["cpuMs", "wallMs"])
    await between(`try a merge of ${relations} relations`, tryMerge, ["cpuMs", "wallMs"])
    await told.workspace.close()
    await silent.workspace.close()
  })
}

type Work = Parameters<BenchWorkspace["run"]>[0]

interface Side {
  readonly workspace: BenchWorkspace
  readonly document: string
  readonly entity: string
  readonly other: string
}

/** Takes no event, and is otherwise the log that it stands for. */
const untold = (ports: Layer.Layer<Ports>): Layer.Layer<Ports> =>
  Layer.provideMerge(
    Layer.effect(
      AuditLog,
      Effect.map(AuditLog, (log) => ({ ...log, append: () => Effect.void }))
    ),
    ports
  )

const open = async (
  folder: string,
  around?: (ports: Layer.Layer<Ports>) => Layer.Layer<Ports>
): Promise<Side> => {
  const [vault, data] = [join(folder, "vault"), join(folder, "data")]
  mkdirSync(vault, { recursive: true })
  mkdirSync(data)
  const workspace = await openWorkspace({ vault, data, ...(around === undefined ? {} : { around }) })
  const made = (name: string) =>
    workspace.run(runOperation(entityOperations.createEntity, { name, type: "concept" }))
  const [{ id: entity }, { id: other }] = [await made("Lantern"), await made("Lamp")]
  for (let place = 0; place < relations; place++) {
    const { id } = await made(`Concept ${place}`)
    const ends = { srcEntityId: place % 2 === 0 ? entity : other, dstEntityId: id, type: "related" }
    await workspace.run(runOperation(graphOperations.createRelation, ends))
  }
  const { docId } = await workspace.run(
    runOperation(documentOperations.createDocument, { path: "lantern.md", content: "# Lantern\n\nA lamp.\n" })
  )
  return { workspace, document: docId, entity, other }
}
