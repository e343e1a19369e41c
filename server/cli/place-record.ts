import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Workspace } from "../../core/platform/workspace/index.js"
import { databaseHomeOf, keepDatabaseHomeOf } from "../store.js"
import { type Failure, failed, openData } from "./failure.js"
import { isSameVault, type Place, remember } from "./place.js"

/** Whether the data folder does not record its vault and database yet, or they have changed. */
export const isUnrecorded = ({ database, fresh, moved, workspace }: Place): boolean =>
  fresh || moved || (database !== undefined && workspace === undefined)

/** Records vault and workspace in the data folder, and in a Postgres database for other hosts. */
export const recordPlace = (
  place: Place,
  { id, name }: Pick<Workspace, "id" | "name">
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { database, vault } = place
    if (database !== undefined) yield* openData(place, () => keepDatabaseHomeOf(database, vault))
    yield* remember({ ...place, workspace: id }, name)
  })

/**
 * Fails when the database is not the one that the data folder records, or belongs to another vault: its documents would
 * count as deleted. A folder that was renamed together with its data is the same vault.
 */
export const requireOwnDatabase = (place: Place): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { data, database, moved, vault, workspace: known } = place
    if (database === undefined) return
    const found = yield* openData(place, () => databaseHomeOf(database))
    // Opening the engine reports what is wrong with it.
    if (found === null) return
    const { vault: home, workspace } = found
    if (known !== undefined && known !== workspace)
      return yield* failed(
        "database_mismatch",
        `The data folder ${data} is for a workspace that is not the one of the database that is named. Look at the URL.`
      )
    if (known !== undefined && home !== null && !isSameVault(home, vault) && !existsSync(home))
      yield* openData(place, () => keepDatabaseHomeOf(database, vault))
    if (known === undefined && !moved && home !== null && !isSameVault(home, vault))
      return yield* failed(
        "vault_mismatch",
        `The database belongs to the vault ${home}, not to ${vault}. Use another database for another vault.`
      )
  })
