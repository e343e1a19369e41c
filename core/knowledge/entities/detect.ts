import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import {
  cacheKeyOf,
  type EntityId,
  type ServiceLayer,
  serviceLayer,
  traced,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import type { EntitySurfaces } from "./model.js"
import { stopWords } from "./stop-words.js"
import { EntityStore } from "./store.js"
import { type NameMatch, NameTrie } from "./trie.js"

/** A known entity found in a text. If one surface belongs to several heads, it is ambiguous and lists all of them. */
export interface Detection {
  /** UTF-16 offsets in the text, including the plural "s" of the last word. */
  readonly start: number
  readonly end: number
  readonly surface: string
  /** The normalized surface key. */
  readonly key: string
  /** Canonical heads, ascending by id. */
  readonly entityIds: ReadonlyArray<EntityId>
  /** The entities whose own names matched, including entities merged into a head. */
  readonly namedIds: ReadonlyArray<EntityId>
}

/** Finds a fixed set of entities in texts. */
export interface EntityDetector {
  /**
   * Finds exact matches of whole words, longest first from the left, without overlaps. Linear in the text. A single
   * word in small letters is a common word and no name ("product", beside a page of that title), unless a person made
   * or described the entity or `anyCase` is set, as for questions without capital letters.
   */
  readonly detect: (text: string, options?: { readonly anyCase: boolean }) => ReadonlyArray<Detection>
  readonly entities: ReadonlyArray<EntitySurfaces>
}

/** Builds a detector for these entities. */
export const makeDetector = (entities: ReadonlyArray<EntitySurfaces>): EntityDetector => {
  const trie = new NameTrie(surfacesOf(entities))
  const toDetection = (text: string, { end, key, names, start }: NameMatch, anyCase: boolean): Detection => {
    const namedIds: Array<EntityId> = []
    const entityIds: Array<EntityId> = []
    const surface = text.slice(start, end)
    const isSmall = !anyCase && isSmallWord(surface)
    const isExactOnly = isStopped(key)
    for (const name of names) {
      const entity = entities[name]
      if (entity === undefined || (isSmall && isOrdinary(entity, key))) continue
      // A name of stop words alone, such as "The Who" or a tag "how-to", matches only in its exact form.
      if (isExactOnly && entity.isExtracted === true && !entity.surfaces.includes(surface)) continue
      namedIds.push(entity.id)
      if (entityIds.length === 0 || !entityIds.includes(entity.headId)) entityIds.push(entity.headId)
    }
    if (entityIds.length > 1) entityIds.sort()
    return { start, end, surface, key, entityIds, namedIds }
  }
  return {
    entities,
    detect: (text, { anyCase } = { anyCase: false }) =>
      trie
        .find(text)
        .map((match) => toDetection(text, match, anyCase))
        .filter(({ entityIds }) => entityIds.length > 0)
  }
}

/** Finds names in a question. Who types without capitals means names all the same. */
export const detectInQuestion = (detector: EntityDetector, question: string): ReadonlyArray<Detection> =>
  detector.detect(question, { anyCase: !/\p{Lu}/u.test(question.slice(1)) })

/**
 * Returns whether the spellings of an extracted entity and what people did to it decide which occurrences of a key are
 * its names: a key of one word or of stop words alone. These may change while the key stays.
 */
export const isReadBySpelling = (key: string): boolean => !key.includes(" ") || isStopped(key)

const isStopped = (key: string): boolean => key.split(" ").every((word) => stopWords.has(word))

/** Whether a text is one word of letters that have case, all of them small. */
const isSmallWord = (text: string): boolean => /^[\p{Ll}\p{M}]+$/u.test(text)

/** Whether the name is written like any word: all small, or with the capital that begins it. */
const isOrdinary = ({ isExtracted, surfaces }: EntitySurfaces, key: string): boolean =>
  isExtracted === true &&
  !surfaces.some((surface) => surface.toLowerCase() === key && !/^\p{Lu}?[\p{Ll}\p{M}]+$/u.test(surface))

function* surfacesOf(entities: ReadonlyArray<EntitySurfaces>): Iterable<readonly [string, number]> {
  for (const [index, { surfaces }] of entities.entries())
    for (const surface of surfaces) yield [surface, index]
}

/**
 * Caches the detectors of workspaces. Each call compares the store's feed position first, so a cached detector is
 * never stale.
 */
export class Detectors extends Context.Tag("kanon/Detectors")<
  Detectors,
  { readonly of: (workspace: WorkspaceScope) => Effect.Effect<EntityDetector> }
>() {}

/** Maximum number of cached detectors, of workspaces and views; the least recently used is evicted. */
const workspacesMax = 16

/** Provides `Detectors` as a cache of the most recently used workspaces. */
export const cachedDetectors = (): ServiceLayer<Detectors, never, EntityStore> =>
  serviceLayer(
    Detectors,
    Effect.gen(function* () {
      const store = yield* EntityStore
      const cache = new Map<string, { readonly position: number; readonly detector: EntityDetector }>()
      return {
        of: (workspace) =>
          Effect.gen(function* () {
            const position = yield* store.position(workspace)
            const key = yield* cacheKeyOf(workspace)
            const known = cache.get(key)
            cache.delete(key)
            const entry =
              known?.position === position
                ? known
                : { position, detector: makeDetector(yield* store.surfaces(workspace)) }
            cache.set(key, entry)
            const [oldest] = cache.keys()
            if (cache.size > workspacesMax && oldest !== undefined) cache.delete(oldest)
            return entry.detector
          })
      }
    })
  )

/** Returns the known entities that a text of this workspace mentions. */
export const detectEntities = traced("entities.detect")(function* (workspace: WorkspaceScope, text: string) {
  return (yield* (yield* Detectors).of(workspace)).detect(text)
})
