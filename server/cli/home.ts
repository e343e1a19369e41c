import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import type { Workspace } from "../../core/workspace/index.js"
import { databaseHomeOf, keepDatabaseHomeOf } from "../store.js"
import { type Failure, failed } from "./failure.js"
import { opening } from "./opening.js"
import { isSameVault, type Place, remember } from "./workspace.js"

/** Whether the data folder is to note whose data these are, since it does not know or that has changed. */
export const isNews = ({ database, fresh, moved, workspace }: Place): boolean =>
  fresh || moved || (database !== undefined && workspace === undefined)

/** Notes whose the data are, in the data folder and where another host finds it. */
export const keepPlace = (
  place: Place,
  { id, name }: Pick<Workspace, "id" | "name">
): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { database, vault } = place
    if (database !== undefined) yield* opening(place, () => keepDatabaseHomeOf(database, vault))
    yield* remember({ ...place, workspace: id }, name)
  })

/**
 * Fails where the database is another one than the data folder knows, or was begun for other files: all that it holds
 * would be taken for deleted. A folder that was renamed together with its data is the same.
 */
export const refuseOther = (place: Place): Effect.Effect<void, Failure> =>
  Effect.gen(function* () {
    const { data, database, moved, vault, workspace: known } = place
    if (database === undefined) return
    const found = yield* opening(place, () => databaseHomeOf(database))
    // The engine says what is wrong with it.
    if (found === null) return
    const { vault: home, workspace } = found
    if (known !== undefined && known !== workspace)
      return yield* failed(
        "database_mismatch",
        `The data folder ${data} is for a workspace that is not the one of the database that is named. Look at the URL.`
      )
    if (known !== undefined && home !== null && !isSameVault(home, vault) && !existsSync(home))
      yield* opening(place, () => keepDatabaseHomeOf(database, vault))
    if (known === undefined && !moved && home !== null && !isSameVault(home, vault))
      return yield* failed(
        "vault_mismatch",
        `The database belongs to the vault ${home}, not to ${vault}. Use another database for another vault.`
      )
  })
