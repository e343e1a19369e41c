import { KanonError, NotFound } from "../../core/platform/kernel/index.js"
import { isEntity, type Lane, type Op } from "./crash-lane.js"
import type { RequestState } from "./crash-state.js"

/** An entity that is about to be made. */
const made = (name: string, description: string) =>
  ({
    what: "entity",
    id: null,
    name,
    description,
    fate: "live",
    authority: "asserted",
    lifecycle: "published"
  }) as const

export const createEntity: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [name, description] = [`Plant ${mark}`, `Made as ${mark}.`]
  await lane.do("create entity", subject, made(name, description), async () => {
    return (await lane.engine.entities.create({ name, type: "System", description })).id
  })
}

/**
 * A vocabulary of two concepts, one below the other. A job takes it in: what is acknowledged is there once the jobs
 * are done, whoever does them.
 */
export const importVocabulary: Op = async (lane) => {
  const [subject, mark] = [lane.newSubject(), lane.mark()]
  const [name, description] = [`Concept ${mark}`, `Taken in as ${mark}.`]
  const skos = "http://www.w3.org/2004/02/skos/core#"
  const concept = (place: "above" | "below", label: string) => ({
    "@id": `urn:crash:${place}:${mark}`,
    "@type": `${skos}Concept`,
    [`${skos}prefLabel`]: [{ "@value": label, "@language": "en" }],
    [`${skos}definition`]: [{ "@value": description, "@language": "en" }]
  })
  const document = [
    { ...concept("below", name), [`${skos}broader`]: [{ "@id": `urn:crash:above:${mark}` }] },
    concept("above", `Kind ${mark}`)
  ]
  await lane.do("import vocabulary", subject, made(name, description), async () => {
    await lane.engine.importSkos({ format: "json-ld", document }, { mode: "apply" })
    return null
  })
}

/** Verbs of curation, each with what becomes of the entity. */
export const curate: Op = async (lane) => {
  const [subject, state] = lane.some(isEntity) ?? []
  if (subject === undefined || state === undefined) return createEntity(lane)
  const { entities } = lane.engine
  const verbs = {
    certify: { to: { authority: "certified" as const }, work: () => entities.certify(state.id, "seen") },
    review: { to: {}, work: () => entities.review(state.id) },
    assert: {
      to: { authority: "asserted" as const },
      work: () => entities.setAuthority(state.id, "asserted")
    },
    draft: { to: { lifecycle: "draft" as const }, work: () => entities.setLifecycle(state.id, "draft") },
    publish: {
      to: { lifecycle: "published" as const },
      work: () => entities.setLifecycle(state.id, "published")
    },
    steward: { to: {}, work: () => entities.setOwner(state.id, null, []) }
  }
  const all = Object.entries(verbs)
  const [name, verb] = all[Math.floor(lane.random() * all.length)] ?? []
  if (name === undefined || verb === undefined) return
  await lane.do(name, subject, { ...state, ...verb.to }, async () => {
    await verb.work()
    return state.id
  })
}

export const propose: Op = async (lane) => {
  const [entity, state] = lane.some(isEntity) ?? []
  if (entity === undefined || state === undefined) return createEntity(lane)
  const [note, description] = [`Asked as ${lane.mark()}.`, `Proposed as ${lane.mark()}.`]
  await lane.do(
    "propose",
    lane.newSubject(),
    { what: "request", id: null, entity, description, note, status: "open" },
    async () => {
      const asked = { kind: "update" as const, entityId: state.id, payload: { description }, note }
      return (await lane.engine.changeRequests.propose(asked)).id
    }
  )
}

/** An open request whose entity stands for itself. */
const someOpen = (lane: Lane) =>
  lane.some((state): state is RequestState & { readonly id: string } => {
    if (state.what !== "request" || state.status !== "open" || state.id === null) return false
    const entity = lane.states.get(state.entity)
    return entity !== undefined && isEntity(entity)
  })

/** Request and entity change together: they are two subjects, of which both or neither must have changed. */
export const approve: Op = async (lane) => {
  const [subject, state] = someOpen(lane) ?? []
  const entity = state === undefined ? undefined : lane.states.get(state.entity)
  if (subject === undefined || state === undefined || entity === undefined || !isEntity(entity))
    return propose(lane)
  await lane.do("approved", state.entity, { ...entity, description: state.description }, async () => {
    await lane.do("approve", subject, { ...state, status: "approved" }, async () => {
      return (await lane.engine.changeRequests.approve(state.id)).request.id
    })
    const done = lane.states.get(subject)
    if (done?.what !== "request" || done.status !== "approved")
      throw new KanonError(new NotFound({ what: "approval" }))
    return entity.id
  })
}

export const reject: Op = async (lane) => {
  const [subject, state] = someOpen(lane) ?? []
  if (subject === undefined || state === undefined) return propose(lane)
  await lane.do("reject", subject, { ...state, status: "rejected" }, async () => {
    return (await lane.engine.changeRequests.reject(state.id)).id
  })
}
