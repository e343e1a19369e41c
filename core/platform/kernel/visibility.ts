import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Caller, currentView, type WorkspaceScope } from "./caller.js"
import { Conflict, NotFound } from "./fault.js"

/** Tells which items exist but not for the caller. */
export class Visibility extends Context.Tag("kanon/Visibility")<
  Visibility,
  {
    /** Returns the ids of documents, passages, entities and relations among these that the caller may not read. */
    readonly hidden: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlySet<string>>
    /** Returns the names and aliases of entities that the caller may read, by entity. */
    readonly names: (
      workspace: WorkspaceScope,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlySet<string>>>
  }
>() {}

/**
 * Runs work of the workspace itself that a caller sets off, such as following a change through other documents: it
 * sees everything, and only its result is bounded by what the caller may read.
 */
export const seeingAll = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Caller> =>
  Effect.flatMap(Caller, (caller) =>
    caller.view == null ? work : Effect.provideService(work, Caller, { ...caller, view: null })
  )

const idPattern = /\b(?:doc|chk|ent|rel)_[0-9a-z]{26}\b/g

/** Returns the ids of things that may be hidden in a value of JSON. */
const idsIn = (value: unknown): ReadonlyArray<string> => [
  ...new Set((JSON.stringify(value) ?? "").match(idPattern) ?? [])
]

/** Returns the ids in a value that are hidden from the caller; none without a view, which costs nothing. */
export const hiddenIn = (value: unknown): Effect.Effect<ReadonlySet<string>> =>
  Effect.flatMap(Effect.serviceOption(Caller), (caller) => {
    if (Option.isNone(caller) || caller.value.principals === undefined || caller.value.view === null)
      return Effect.succeed(nothing)
    const { workspace } = caller.value
    return Effect.flatMap(Effect.serviceOption(Visibility), (visibility) => {
      const ids = idsIn(value)
      if (ids.length === 0) return Effect.succeed(nothing)
      return Option.isNone(visibility)
        ? Effect.dieMessage("A caller with a view needs the service Visibility.")
        : visibility.value.hidden(workspace, ids)
    })
  })

const nothing: ReadonlySet<string> = new Set()

/** The suffix of an id that nothing has. */
const unknownSuffix = `7${"z".repeat(25)}`

/** Replaces hidden ids by ids that nothing has, so that work with them does what it does for unknown ones. Pure. */
export const withoutHidden = (value: unknown, hidden: ReadonlySet<string>): unknown =>
  hidden.size === 0
    ? value
    : mapTexts(value, (text) =>
        text.replace(idPattern, (id) => (hidden.has(id) ? `${id.slice(0, 4)}${unknownSuffix}` : id))
      )

const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === "string") return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, map)]))
}

/**
 * Removes from the result of an operation what names something hidden: items of lists, and the whole where it is not in
 * a list. Statements leave it out already; this holds for texts that were stored when the caller, or another one,
 * could read more. Ids of the input may return.
 */
export const withinView = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  input: unknown
): Effect.Effect<A, E | NotFound, R> =>
  Effect.flatMap(withoutHolder(work), (result) =>
    Effect.flatMap(hiddenIn(result), (found): Effect.Effect<A, NotFound> => {
      if (found.size === 0) return Effect.succeed(result)
      const given = new Set(idsIn(input))
      const left = prune(result, new Set([...found].filter((id) => !given.has(id))))
      return left === undefined ? new NotFound({ what: "item" }) : Effect.succeed(left)
    })
  )

/**
 * Removes from the result of a change the aliases of entities that only hidden documents state: a unit of work knows
 * them. Those that the input names may return.
 */
export const withVisibleNames = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  input: unknown
): Effect.Effect<A, E, R> =>
  Effect.flatMap(work, (result) =>
    Effect.flatMap(currentView, (view) =>
      Effect.flatMap(Effect.serviceOption(Visibility), (visibility) =>
        Effect.flatMap(Effect.serviceOption(Caller), (caller) => {
          if (view === null || Option.isNone(visibility) || Option.isNone(caller))
            return Effect.succeed(result)
          const ids = idsIn(result).filter((id) => id.startsWith("ent_"))
          if (ids.length === 0) return Effect.succeed(result)
          const given = JSON.stringify(input) ?? ""
          return Effect.map(visibility.value.names(caller.value.workspace, ids), (names) => {
            const isShown = (id: string, name: string) =>
              names.get(id)?.has(name) === true || given.includes(JSON.stringify(name))
            return visibleNames(result, isShown)
          })
        })
      )
    )
  )

/** Returns the value with the shown aliases of each entity in it. */
function visibleNames<A>(value: A, isShown: (id: string, name: string) => boolean): A
function visibleNames(value: unknown, isShown: (id: string, name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => visibleNames(item, isShown))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value)
  const own = fields.find(([name, id]) => /^(?:id|canonicalId)$/.test(name) && typeof id === "string")?.[1]
  return Object.fromEntries(
    fields.map(([name, item]) => [
      name,
      /^(?:aliases|aliasesAdded)$/.test(name) && Array.isArray(item)
        ? item.filter((alias) => isShown(String(own), String(alias)))
        : visibleNames(item, isShown)
    ])
  )
}

/** Removes from a conflict the id of what stands in the way, where the caller cannot see it. */
const withoutHolder = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tapError(work, (fault) =>
    fault instanceof Conflict && fault.existingId !== undefined
      ? Effect.map(hiddenIn(fault.existingId), (hidden) => {
          if (hidden.size > 0) Reflect.deleteProperty(fault, "existingId")
        })
      : Effect.void
  )

/** Returns the value without the items of lists that name one of the ids; undefined where it names one itself. */
function prune<A>(value: A, hidden: ReadonlySet<string>): A | undefined
function prune(value: unknown, hidden: ReadonlySet<string>): unknown {
  if (typeof value === "string") return idsIn(value).some((id) => hidden.has(id)) ? undefined : value
  if (Array.isArray(value)) return value.flatMap((item) => keptItem(item, hidden))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).map(
    ([name, item]) => [name, item === undefined ? null : prune(item, hidden), item] as const
  )
  if (fields.some(([, left, item]) => left === undefined && item !== undefined)) return undefined
  return Object.fromEntries(fields.map(([name, left, item]) => [name, item === undefined ? undefined : left]))
}

const keptItem = (item: unknown, hidden: ReadonlySet<string>): ReadonlyArray<unknown> => {
  const left = prune(item, hidden)
  return left === undefined && item !== undefined ? [] : [left]
}
