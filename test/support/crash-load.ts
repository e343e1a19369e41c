import { closeSync, fdatasyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Engine } from "../../core/engine/engine/index.js"
import { KanonError, NotFound } from "../../core/platform/kernel/index.js"
import { approve, createEntity, curate, importVocabulary, propose, reject } from "./crash-curation.js"
import {
  isEntity,
  isLive,
  isRelation,
  isTrashed,
  Lane,
  type LoadPlan,
  type Op,
  type Recorder
} from "./crash-lane.js"
import type { Line, RelationState, State } from "./crash-state.js"

export type { LoadPlan } from "./crash-lane.js"

/**
 * Several lanes at once, each with documents and entities of its own, so that each knows what must be there. The
 * first lane begins with one operation of every kind. `onAck` is told of every operation that was acknowledged.
 */
export const runLoad = async (
  engine: Engine,
  plan: LoadPlan,
  onAck: (count: number) => void
): Promise<void> => {
  const log = openSync(plan.log, "a")
  let [n, acknowledged] = [0, 0]
  const write = (line: Line) => {
    writeSync(log, `${JSON.stringify(line)}\n`)
    if (line.tag !== "begin") fdatasyncSync(log)
  }
  const record: Recorder = async (op, subject, to, work, group) => {
    n += 1
    const own = n
    write({ tag: "begin", n: own, group, op, subject, to })
    for (let attempt = 1; ; attempt++) {
      try {
        const id = (await work()) ?? null
        write({ tag: "ack", n: own, id })
        acknowledged += 1
        onAck(acknowledged)
        return { ...to, id: id ?? to.id }
      } catch (error) {
        if (!(error instanceof KanonError)) throw error
        // Another lane's ingest may be taking the same file in.
        if (error.code === "conflict" && attempt < 5) await sleep(5 * attempt)
        else {
          write({ tag: "refused", n: own, code: `${op} ${error.code} ${error.message}` })
          return null
        }
      }
    }
  }
  const runLane = async (number: number) => {
    const lane = new Lane(engine, plan, number, record)
    if (number === 0) for (const op of tour) await op(lane)
    for (let count = 0; count < plan.operationsPerLane; count++) {
      const op = mix[Math.floor(lane.random() * mix.length)]
      if (op !== undefined) await op(lane)
    }
  }
  await Promise.all(Array.from({ length: plan.lanes }, (_, number) => runLane(number)))
  await engine.ingest()
  const again = new Lane(engine, plan, plan.lanes, record)
  for (let count = 0; count < plan.moreTours; count++) {
    for (const op of tour) await op(again)
    await engine.ingest()
  }
  closeSync(log)
}

const create: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [path, text] = [`${lane.folder}/${mark}.md`, lane.text(mark)]
  await lane.do("create", subject, { what: "document", id: null, path, text, mark, live: true }, async () => {
    return (await lane.engine.documents.create({ path, content: text })).docId
  })
}

const replace: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const mark = lane.mark()
  const text = lane.text(mark)
  await lane.do("replace", subject, { ...state, text, mark }, async () => {
    return (await lane.engine.documents.replace(state.id, text)).docId
  })
}

const putBack: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  // Changes from outside are ingested first, since they would be lost with the file.
  await ingest(lane)
  await lane.do("put back", subject, state, async () => {
    const file = lane.file(state.path)
    const beside = `${file}.lost`
    renameSync(file, beside)
    try {
      const saved = await lane.engine.documents.replace(state.id, state.text)
      rmSync(beside)
      return saved.docId
    } catch (error) {
      renameSync(beside, file)
      if (!(error instanceof KanonError) || error.code !== "not_found") throw error
      // A pass over the whole vault came between and took it for removed: with its file it comes back.
      await lane.engine.ingest({ path: lane.folder })
      return state.id
    }
  })
}

const move: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const path = `${lane.folder}/${lane.random() < 0.5 ? "deep/" : ""}${lane.mark()}.md`
  await lane.do("move", subject, { ...state, path }, async () => {
    return (await lane.engine.documents.move(state.id, path, { rewriteLinks: false })).docId
  })
}

/** A move after which every link of the lane leads there: each document that holds one is a subject of its own. */
const moveLinked: Op = async (lane) => {
  // Changes from outside are ingested first, since the move would ingest them on its way.
  await ingest(lane)
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const path = `${lane.folder}/${lane.mark()}.md`
  const relinked = (text: string) => text.replace(`(/${state.path})`, `(/${path})`)
  const linking = [...lane.states].flatMap(([other, one]) =>
    isLive(one) && one.text !== relinked(one.text) && other !== subject ? [[other, one] as const] : []
  )
  const moved = { ...state, path, text: relinked(state.text) }
  const work = linking.reduce<() => Promise<void>>(
    (inner, [other, one]) =>
      () =>
        lane.do("relink", other, { ...one, text: relinked(one.text) }, async () => {
          await inner()
          // A move that was refused there has changed nothing here.
          const there = lane.states.get(subject)
          if (there?.what !== "document" || there.path !== path)
            throw new KanonError(new NotFound({ what: "move" }))
          return one.id
        }),
    () =>
      lane.do("move", subject, moved, async () => (await lane.engine.documents.move(state.id, path)).docId)
  )
  await work()
}

/**
 * Sets the verification of a document. It is not part of the text; the check of the rows compares it with the audit.
 */
const verify: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const verification = (["verified", "certified", "deprecated", "unverified"] as const)[
    Math.floor(lane.random() * 4)
  ]
  await lane.do("verify", subject, state, async () =>
    verification === undefined ? state.id : (await lane.engine.documents.verify(state.id, verification)).docId
  )
}

const remove: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  await lane.do("remove", subject, { ...state, live: false }, async () => {
    return (await lane.engine.documents.remove(state.id)).id
  })
}

const restore: Op = async (lane) => {
  const [subject, state] = lane.some(isTrashed) ?? []
  if (subject === undefined || state === undefined) return remove(lane)
  await lane.do("restore", subject, { ...state, live: true }, async () => {
    return (await lane.engine.documents.restore(state.id)).docId
  })
}

const outsideCreate: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [path, text] = [`${lane.folder}/${mark}.md`, lane.text(mark)]
  await lane.do(
    "outside create",
    subject,
    { what: "document", id: null, path, text, mark, live: true },
    async () => {
      lane.writeOutside(path, text)
      return null
    }
  )
  await ingest(lane)
}

const outsideEdit: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  const mark = lane.mark()
  const text = lane.text(mark)
  await lane.do("outside edit", subject, { ...state, text, mark }, async () => {
    lane.writeOutside(state.path, text)
    return null
  })
}

const outsideRemove: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  await ingest(lane)
  await lane.do("outside remove", subject, { ...state, live: false }, async () => {
    rmSync(lane.file(state.path))
    return null
  })
  await ingest(lane)
}

const outsideMove: Op = async (lane) => {
  const [subject, state] = lane.some(isLive) ?? []
  if (subject === undefined || state === undefined) return create(lane)
  await ingest(lane)
  const path = `${dirname(state.path)}/${lane.mark()}.md`
  await lane.do("outside move", subject, { ...state, path }, async () => {
    renameSync(lane.file(state.path), lane.file(path))
    return null
  })
  await ingest(lane)
}

/** Takes in the files of the lane: afterwards each of its documents can be called by its id. */
const ingest: Op = async (lane) => {
  await lane.engine.ingest({ path: lane.folder, wait: false })
  for (const [subject, state] of lane.states) {
    if (state.what !== "document" || !state.live || state.id !== null) continue
    lane.states.set(subject, { ...state, id: (await lane.engine.documents.getByPath(state.path)).id })
  }
}

const updateEntity: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined) return createEntity(lane)
  const description = `Now ${lane.mark()}.`
  await lane.do("update entity", subject, { ...state, description }, async () => {
    return (await lane.engine.entities.update(state.id, { description })).id
  })
}

const mergeEntities: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  const [other, into] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined || into === undefined || other === subject)
    return createEntity(lane)
  await lane.do("merge", subject, { ...state, fate: "merged", into: into.id }, async () => {
    await lane.engine.entities.merge(state.id, into.id)
    return state.id
  })
}

const removeEntity: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined) return createEntity(lane)
  await lane.do("remove entity", subject, { ...state, fate: "removed" }, async () => {
    await lane.engine.entities.remove(state.id)
    return state.id
  })
}

const createRelation: Op = async (lane) => {
  const [, src] = lane.some(isEntity) ?? []
  const [, dst] = lane.some(isEntity) ?? []
  if (src === undefined || dst === undefined || src.id === dst.id) return createEntity(lane)
  const type = `feeds ${lane.mark()}`
  const to: RelationState = { what: "relation", id: null, srcId: src.id, dstId: dst.id, type, live: true }
  await lane.do("create relation", lane.newSubject(), to, async () => {
    const asked = { srcEntityId: src.id, dstEntityId: dst.id, type, evidence: "The manual." }
    return (await lane.engine.relations.create(asked)).relationId
  })
}

const removeRelation: Op = async (lane) => {
  const ends = new Set([...lane.states.values()].flatMap((state) => (isEntity(state) ? [state.id] : [])))
  const standing = (state: State): state is RelationState & { readonly id: string } =>
    isRelation(state) && ends.has(state.srcId) && ends.has(state.dstId)
  const [subject, state] = lane.some(standing) ?? []
  if (subject === undefined || state === undefined) return createRelation(lane)
  await lane.do("remove relation", subject, { ...state, live: false }, async () => {
    await lane.engine.relations.remove(state.id)
    return state.id
  })
}

const search: Op = async (lane) => {
  const [, state] = lane.some(isLive) ?? []
  await lane.engine.search(state?.mark ?? "battery")
}

const ask: Op = async (lane) => {
  const [, state] = lane.some(isLive) ?? []
  await lane.engine.ask(`What is said of ${state?.mark ?? "the battery"}?`)
}

const upkeepKinds = ["ingest", "reindex", "reembed", "reextract", "graph_analytics", "reconcile"] as const

const upkeep: Op = async (lane) => {
  const kind = upkeepKinds[Math.floor(lane.random() * upkeepKinds.length)]
  if (kind !== undefined) await lane.engine.jobs.start(kind)
}

const tour: ReadonlyArray<Op> = [
  ...[create, create, createEntity, createEntity, createEntity, createEntity, createRelation, createRelation],
  ...[
    create,
    create,
    replace,
    move,
    moveLinked,
    moveLinked,
    outsideCreate,
    outsideEdit,
    ingest,
    putBack,
    verify,
    verify,
    replace,
    remove,
    restore
  ],
  ...[updateEntity, removeRelation, removeRelation, outsideMove, create, create, create, replace, replace],
  ...[curate, curate, propose, propose, approve, reject, propose, approve, curate, importVocabulary],
  ...[mergeEntities, mergeEntities, mergeEntities, removeEntity, outsideRemove, remove, create, search, ask]
]

const often = (op: Op, times: number): ReadonlyArray<Op> => Array.from({ length: times }, () => op)
const mix: ReadonlyArray<Op> = [
  ...[
    often(create, 4),
    often(replace, 5),
    often(verify, 2),
    often(move, 2),
    ...often(moveLinked, 2),
    often(remove, 2),
    often(restore, 2)
  ],
  ...[often(outsideCreate, 1), often(outsideEdit, 3), often(outsideRemove, 1), often(outsideMove, 1)],
  ...[often(putBack, 1), often(ingest, 2), often(createEntity, 3), often(updateEntity, 2)],
  ...[often(curate, 2), often(propose, 2), often(approve, 1), often(reject, 1), often(importVocabulary, 1)],
  ...[often(mergeEntities, 1), often(removeEntity, 1), often(createRelation, 2), often(removeRelation, 1)],
  ...[often(search, 2), often(ask, 1), often(upkeep, 1)]
].flat()
