import * as Effect from "effect/Effect"
import { DocumentStore } from "../../files/documents/index.js"
import {
  allAliases,
  type Detection,
  detectInQuestion,
  type EntityDetector,
  EntityStore,
  isRetired,
  type StoredEntity
} from "../../knowledge/entities/index.js"
import { documentsAbout } from "../../knowledge/extraction/index.js"
import { GraphStore } from "../../knowledge/graph/index.js"
import { analyse } from "../../language/tokenization/index.js"
import { type EntityId, nameNorm, type WorkspaceScope } from "../../platform/kernel/index.js"
import type { Ambiguity } from "../policy/index.js"

/** A name in a text, and the live entities that bear it. */
export interface Named {
  readonly detection: Detection
  readonly entities: ReadonlyArray<StoredEntity>
}

/** The known names in a text, in its order. */
export const readNames = (workspace: WorkspaceScope, detector: EntityDetector, text: string) =>
  Effect.gen(function* () {
    const detections = detectInQuestion(detector, text)
    const ids = [...new Set(detections.flatMap(({ entityIds }) => entityIds))]
    const stored = new Map((yield* (yield* EntityStore).findMany(workspace, ids)).map((one) => [one.id, one]))
    return detections.map(
      (detection): Named => ({
        detection,
        entities: detection.entityIds.flatMap((id) => stored.get(id) ?? [])
      })
    )
  })

/** Neighbours that may tell entities of one name apart, of each. */
const neighboursMax = 100

/**
 * Returns the entities that each name in the text means. Where several entities bear a name, those are chosen whose
 * type, other name, qualifier, neighbour, or the folder or a field of whose document occurs elsewhere in the text. If
 * two or more remain, all are returned and the name is reported as ambiguous.
 */
export const disambiguate = (workspace: WorkspaceScope, text: string, names: ReadonlyArray<Named>) =>
  Effect.gen(function* () {
    const meant = new Map<EntityId, StoredEntity>()
    const ambiguous = new Map<string, Ambiguity>()
    for (const { detection, entities } of names) {
      const readings = readingsOf(entities)
      if (readings.length < 2) {
        for (const one of entities) meant.set(one.id, one)
        continue
      }
      const rest = wordsOf(`${text.slice(0, detection.start)} ${text.slice(detection.end)}`)
      const matching = yield* toldBy(workspace, readings, rest)
      const chosen = matching.length === 0 ? calledSo(readings, detection) : matching
      for (const one of chosen) meant.set(one.id, one)
      if (chosen.length > 1 && isNameLike(detection) && !areOne(chosen))
        ambiguous.set(detection.key, ambiguityOf(detection, chosen))
    }
    return { entities: [...meant.values()], ambiguous: [...ambiguous.values()] }
  })

/** A single word in small letters is a word of the question, whatever pages have it as their title. */
const isNameLike = ({ surface }: Detection): boolean => !/^[\p{Ll}\p{M}]+$/u.test(surface)

/** "Search" is the page of that title, and not the page "Configuration of Search" whose file is called so. */
const calledSo = (
  readings: ReadonlyArray<StoredEntity>,
  { surface }: Detection
): ReadonlyArray<StoredEntity> => {
  const exact = readings.filter(({ name }) => nameNorm(name) === nameNorm(surface))
  const arePages = readings.every(({ touched, type }) => type === "document" && !touched)
  return exact.length === 1 && arePages ? exact : readings
}

/** The page "Norrland Energy" and the company Norrland Energy AB, whose other name it is, are one thing. */
const areOne = (readings: ReadonlyArray<StoredEntity>): boolean => {
  const [thing, ...more] = readings.filter(({ type }) => type !== "document")
  return (
    thing !== undefined &&
    more.length === 0 &&
    readings.every(
      ({ name, touched }) =>
        nameNorm(thing.name) === nameNorm(name) ||
        (!touched && nameNorm(thing.name).startsWith(`${nameNorm(name)} `))
    )
  )
}

const ambiguityOf = ({ surface }: Detection, readings: ReadonlyArray<StoredEntity>): Ambiguity => ({
  surface,
  candidates: readings.map(({ id, name, type }) => ({ id, name, type }))
})

/**
 * Types that extraction gives to a name that it met only as a tag or a term. They do not compete with an entity that
 * bears the name.
 */
const metTypes = new Set(["tag", "concept"])

/** The entities that a name may mean: those in use, and of these such as are more than a word that was met. */
const readingsOf = (entities: ReadonlyArray<StoredEntity>): ReadonlyArray<StoredEntity> => {
  if (entities.length < 2) return entities
  const used = entities.filter((one) => !isRetired(one))
  return used.filter(({ touched, type }) => touched || !metTypes.has(type))
}

const toldBy = (
  workspace: WorkspaceScope,
  readings: ReadonlyArray<StoredEntity>,
  rest: ReadonlySet<string>
) =>
  Effect.gen(function* () {
    const occurs = (name: string): boolean => {
      const words = wordsOf(name)
      return words.size > 0 && [...words].every((word) => rest.has(word))
    }
    const heads = readings.map(({ id }) => id)
    const context = new Map(
      yield* Effect.forEach(readings, (one) =>
        Effect.map(contextOf(workspace, one), (words) => [one.id, words] as const)
      )
    )
    const ends = yield* (yield* GraphStore).strongestEnds(workspace, heads, neighboursMax)
    const near = new Map(ends.map(({ ends: others, head }) => [head, others.map(({ id }) => id)]))
    const neighbours = yield* (yield* EntityStore).findMany(workspace, [
      ...new Set([...near.values()].flat())
    ])
    const nameOf = new Map(neighbours.map(({ id, name }) => [id, name]))
    return readings.filter(
      (one) =>
        occurs(one.type) ||
        occurs(qualifierOf(one.name)) ||
        allAliases(one).some(occurs) ||
        (context.get(one.id) ?? []).some(occurs) ||
        (near.get(one.id) ?? []).some((id) => occurs(nameOf.get(id) ?? ""))
    )
  })

/** The part in brackets that tells a name from another: Acme in "Li Wei (Acme)". */
const qualifierOf = (name: string): string => /\(([^()]+)\)$/u.exec(name)?.[1] ?? ""

/** Returns the folders and the front matter fields of an entity's documents, as words to disambiguate it by. */
const contextOf = (workspace: WorkspaceScope, { claim }: StoredEntity) =>
  Effect.gen(function* () {
    if (claim === null) return []
    const ids = yield* documentsAbout(workspace, [claim.key])
    const documents = yield* (yield* DocumentStore).findMany(workspace, ids.slice(0, contextDocumentsMax))
    return documents.flatMap(({ frontMatter, path }) => [
      ...path.split("/").slice(0, -1),
      ...Object.values(frontMatter.other).flatMap((value) => (typeof value === "string" ? [value] : []))
    ])
  })
const contextDocumentsMax = 3

const wordsOf = (text: string): ReadonlySet<string> => new Set(analyse(text).map(({ term }) => term))
