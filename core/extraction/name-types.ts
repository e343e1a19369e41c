import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { NameType } from "./name-claims.js"

/**
 * Tells the types of names (`person`, `organization`, `place`) of a language. By default no type is known. Equal names
 * must always have equal types.
 */
export class NameTypes extends Context.Reference<NameTypes>()("kanon/NameTypes", {
  defaultValue: () => ({ load: Effect.succeed<NameType>(() => null) })
}) {}
