import * as Effect from "effect/Effect"
import type { Engine } from "../../core/engine/index.js"
import { EntityId, nameNorm } from "../../core/kernel/index.js"
import { type Failure, failed } from "./failure.js"
import { call } from "./session.js"
import { cleanLine } from "./text.js"

/** The id of an entity, given by its id or by a name or alias that only it has. */
export const entityId = (engine: Engine, idOrName: string): Effect.Effect<string, Failure> =>
  Effect.gen(function* () {
    if (EntityId.safeParse(idOrName).success) return idOrName
    if (nameNorm(idOrName) === "") return yield* failed("not_found", "No such entity.")
    const { candidates } = yield* call(() => engine.entities.resolve(idOrName, { limit: 20 }))
    const exact = candidates.filter(({ matchKind }) => matchKind === "exact")
    const named = exact.length > 0 ? exact : candidates.filter(({ matchKind }) => matchKind === "alias")
    const [only, ...others] = named
    if (only === undefined) {
      const near = candidates.slice(0, 3).map(({ name }) => `'${cleanLine(name)}'`)
      const hint = near.length === 0 ? "" : ` Near it: ${near.join(", ")}.`
      return yield* failed("not_found", `No entity is called '${cleanLine(idOrName)}'.${hint}`)
    }
    if (others.length > 0) {
      const choices = named.map(({ id, name, type }) => `${cleanLine(name)} (${cleanLine(type)}) ${id}`)
      return yield* failed(
        "ambiguous_name",
        `Several entities are called '${cleanLine(idOrName)}'; name one by its id: ${choices.join("; ")}`
      )
    }
    return only.id
  })

/** The argument that names an entity. */
export const entity = {
  name: "id-or-name",
  description: "Id of the entity (ent_…), its name or an alias.",
  resolve: entityId
}
