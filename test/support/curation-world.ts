/** An entity in a simple model of curation. */
export interface Known {
  name: string
  type: string
  aliases: ReadonlyArray<string>
  description: string | null
  authority: "machine_extracted" | "asserted" | "curated" | "certified"
  lifecycle: "draft" | "pending_review" | "published" | "deprecated" | "superseded"
  owner: string | null
  stewards: ReadonlyArray<string>
  /** Place of the successor. */
  supersededBy: number | null
  /** Place of what it was merged into. */
  into: number | null
  deleted: boolean
  version: number
  /** Fields of a person after each version. */
  history: ReadonlyArray<Fields>
}

export interface Fields {
  readonly name?: string
  readonly type?: string
  readonly aliases?: ReadonlyArray<string>
  readonly description?: string | null
}

export type Payload = Fields & {
  readonly lifecycle?: "draft" | "pending_review" | "published"
  /** Place of the successor. */
  readonly successor?: number
}

export interface Asked {
  readonly kind: "create" | "update" | "deprecate" | "supersede" | "delete"
  readonly target: number | null
  readonly payload: Payload
  status: "open" | "approved" | "rejected" | "withdrawn"
}

export interface World {
  readonly entities: Array<Known>
  readonly requests: Array<Asked>
}

/** A code of the contract, or the place of the entity that it was done to. */
export type Outcome = string | number

const norm = (name: string): string => name.toLowerCase()

const listOf = (aliases: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  for (const alias of [...aliases].sort())
    if (norm(alias) !== norm(name) && !found.has(norm(alias))) found.set(norm(alias), alias)
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, alias]) => alias)
}

export const entityAt = (world: World, place: number): Known => {
  const found = world.entities[place]
  if (found === undefined) throw new RangeError(`The model has no entity ${place}.`)
  return found
}

/** The place that an id means, or null when nothing is there. */
export const headAt = (world: World, place: number): number | null => {
  const { deleted, into } = entityAt(world, place)
  if (deleted) return null
  return into === null ? place : headAt(world, into)
}

/** All names beside its own: those of what was merged into it, too. */
export const namesAt = (world: World, place: number): ReadonlyArray<string> => {
  const members = world.entities.filter((_, at) => at !== place && chainOf(world, at).includes(place))
  const { aliases, name } = entityAt(world, place)
  return listOf([...aliases, ...members.flatMap((one) => [one.name, ...one.aliases])], name)
}

const chainOf = (world: World, place: number): ReadonlyArray<number> => {
  const { into } = entityAt(world, place)
  return into === null ? [place] : [place, ...chainOf(world, into)]
}

const isTaken = (world: World, { name, type }: Pick<Known, "name" | "type">, own: number | null): boolean =>
  world.entities.some(
    (one, at) =>
      at !== own && !one.deleted && one.into === null && one.type === type && norm(one.name) === norm(name)
  )

/** One version on. */
const put = (world: World, place: number, change: Partial<Known>): number => {
  const now = entityAt(world, place)
  const next = { ...now, ...change, version: now.version + 1 }
  const { aliases, description, name, type } = next
  world.entities[place] = { ...next, history: [...now.history, { name, type, aliases, description }] }
  return place
}

const onHead = (world: World, place: number, act: (head: number, now: Known) => Outcome): Outcome => {
  const head = headAt(world, place)
  return head === null ? "not_found" : act(head, entityAt(world, head))
}

export const create = (
  world: World,
  { aliases = [], description = null, name = "", type = "" }: Fields,
  birth: Pick<Known, "authority" | "lifecycle"> = { authority: "asserted", lifecycle: "published" }
): Outcome => {
  if (isTaken(world, { name, type }, null)) return "conflict"
  const fields = { name, type, aliases: listOf(aliases, name), description }
  world.entities.push({
    ...fields,
    ...birth,
    owner: null,
    stewards: [],
    supersededBy: null,
    into: null,
    deleted: false,
    version: 1,
    history: [fields]
  })
  return world.entities.length - 1
}

export const update = (world: World, place: number, fields: Fields): Outcome =>
  onHead(world, place, (head, now) => {
    const name = fields.name ?? now.name
    const wanted = {
      name,
      type: fields.type ?? now.type,
      aliases: listOf(fields.aliases ?? now.aliases, name),
      description: fields.description === undefined ? now.description : fields.description
    }
    if (JSON.stringify({ ...now, ...wanted }) === JSON.stringify(now)) return head
    return isTaken(world, wanted, head) ? "conflict" : put(world, head, wanted)
  })

export const restoreRevision = (world: World, place: number, version: number): Outcome =>
  onHead(world, place, (head, now) => {
    const then = now.history[version - 1]
    return then === undefined ? "not_found" : update(world, head, then)
  })

/** `restamped` says whether the clock had moved on: a stamp is a change. */
export const vouch = (world: World, place: number, how: "certify" | "review", restamped: boolean): Outcome =>
  onHead(world, place, (head, now) => {
    const reviewed = now.authority === "machine_extracted" ? "curated" : now.authority
    const authority = how === "certify" ? "certified" : reviewed
    return restamped || authority !== now.authority ? put(world, head, { authority }) : head
  })

export const setAuthority = (world: World, place: number, authority: Known["authority"]): Outcome =>
  onHead(world, place, (head, now) => (now.authority === authority ? head : put(world, head, { authority })))

export const setOwner = (
  world: World,
  place: number,
  owner: string | null,
  stewards: ReadonlyArray<string> | undefined
): Outcome =>
  onHead(world, place, (head, now) => {
    const wanted = { owner, stewards: stewards ?? now.stewards }
    return JSON.stringify({ ...now, ...wanted }) === JSON.stringify(now) ? head : put(world, head, wanted)
  })

/** The moves of the contract, set down here once more. */
const moves: Readonly<Record<Known["lifecycle"], ReadonlyArray<Known["lifecycle"]>>> = {
  draft: ["pending_review", "published"],
  pending_review: ["draft", "published"],
  published: ["draft"],
  deprecated: [],
  superseded: []
}

export const setLifecycle = (
  world: World,
  place: number,
  to: "draft" | "pending_review" | "published"
): Outcome =>
  onHead(world, place, (head, now) => {
    if (now.lifecycle === to) return head
    return moves[now.lifecycle].includes(to) ? put(world, head, { lifecycle: to }) : "invalid_transition"
  })

const isRetired = ({ lifecycle }: Known): boolean => lifecycle === "deprecated" || lifecycle === "superseded"

export const deprecate = (world: World, place: number, successor: number | null): Outcome =>
  onHead(world, place, (head, now) => {
    const next = successor === null ? null : headAt(world, successor)
    if (successor !== null && next === null) return "not_found"
    if (next === head) return "invalid_body"
    if (next !== null && entityAt(world, next).lifecycle !== "published") return "invalid_body"
    if (isRetired(now)) return "invalid_transition"
    return put(world, head, { lifecycle: next === null ? "deprecated" : "superseded", supersededBy: next })
  })

/** Whether somebody may decide about an entity. */
const mayDecide = ({ owner, stewards }: Known, who: string): boolean =>
  (owner === null && stewards.length === 0) || owner === who || stewards.includes(who)

export const merge = (world: World, place: number, target: number, who: string): Outcome =>
  onHead(world, place, (merged, now) =>
    onHead(world, target, (head, other) => {
      if (merged === head) return "invalid_body"
      if (!mayDecide(now, who) || !mayDecide(other, who)) return "reviewer_required"
      if (isRetired(other)) return "invalid_transition"
      put(world, merged, { into: head })
      return put(world, head, {})
    })
  )

export const remove = (world: World, place: number): Outcome =>
  onHead(world, place, (head) => put(world, head, { deleted: true }))

/** Out of the trash: what was deleted comes back, what was merged away is split out. */
export const bringBack = (world: World, place: number): Outcome => {
  const { deleted, into, name, type } = entityAt(world, place)
  if (!deleted && into === null) return "not_found"
  if (isTaken(world, { name, type }, place)) return "conflict"
  if (into !== null) put(world, into, {})
  return put(world, place, { deleted: false, into: null })
}

export const propose = (world: World, asked: Omit<Asked, "status">): Outcome => {
  const target = asked.target === null ? null : headAt(world, asked.target)
  if (asked.kind !== "create" && target === null) return "not_found"
  if (asked.kind === "supersede") {
    const successor = headAt(world, asked.payload.successor ?? 0)
    if (successor === null) return "not_found"
    if (successor === target) return "invalid_body"
  }
  world.requests.push({ ...asked, target, status: "open" })
  return world.requests.length - 1
}

const requestAt = (world: World, place: number): Asked => {
  const found = world.requests[place]
  if (found === undefined) throw new RangeError(`The model has no request ${place}.`)
  return found
}

export const close = (world: World, place: number, status: "rejected" | "withdrawn"): Outcome => {
  const asked = requestAt(world, place)
  if (asked.status !== "open") return "not_open"
  world.requests[place] = { ...asked, status }
  return place
}

/** Gives the place of the entity that it was applied to. */
export const approve = (world: World, place: number, who: string): Outcome => {
  const asked = requestAt(world, place)
  if (asked.status !== "open") return "not_open"
  const head = asked.target === null ? null : headAt(world, asked.target)
  if (head !== null && !mayDecide(entityAt(world, head), who)) return "reviewer_required"
  const applied = apply(world, asked)
  if (typeof applied === "string") return "conflict"
  world.requests[place] = { ...asked, status: "approved" }
  return applied
}

const apply = (world: World, { kind, payload, target }: Asked): Outcome => {
  const { lifecycle = "published", successor = null, ...fields } = payload
  if (kind === "create") return create(world, fields, { authority: "curated", lifecycle })
  if (target === null) return "not_found"
  if (kind === "update") return update(world, target, fields)
  return kind === "delete" ? remove(world, target) : deprecate(world, target, successor)
}
