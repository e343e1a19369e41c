import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Vault } from "../../core/files/documents/index.js"
import {
  Caller,
  type ServiceLayer,
  serviceLayer,
  type WorkspaceScope
} from "../../core/platform/kernel/index.js"
import { WorkspaceStore } from "../../core/platform/workspace/index.js"
import { databaseVault } from "./database.js"
import { makeVault } from "./directory.js"
import { nodeFiles } from "./files.js"
import type { IgnoreOptions } from "./ignore-files.js"
import { objectVault } from "./objects.js"
import { absoluteVault, placeOf } from "./vault-address.js"

/**
 * A vault that delegates to the vault of the caller's workspace. A workspace without a folder of its own uses the
 * host's, and so does work without a caller, such as an import before its workspace exists. Relative folders are
 * resolved against `base`.
 */
export const vaultsByWorkspace = (
  host: string,
  base: string
): ServiceLayer<Vault, never, WorkspaceStore | SqlClient.SqlClient> =>
  serviceLayer(
    Vault,
    Effect.gen(function* () {
      const [store, sql] = [yield* WorkspaceStore, yield* SqlClient.SqlClient]
      const vaultAt = (named: string, workspace: WorkspaceScope, ignores?: IgnoreOptions) => {
        const place = placeOf(named)
        if (place.kind === "folder") return makeVault(place.folder, nodeFiles, ignores)
        return place.kind === "objects" ? objectVault(place) : databaseVault(sql, workspace)
      }
      // The host's vault without a workspace: empty in a database, and checked for files by an import.
      const own = vaultAt(host, "" as WorkspaceScope)
      // A workspace keeps its folder as long as this process lives.
      const known = new Map<WorkspaceScope, Vault["Type"]>()
      const open = (workspace: WorkspaceScope) =>
        Effect.map(store.vault(workspace), (folder) => {
          const ignores = { gitignore: true }
          const vault = vaultAt(
            Option.match(folder, { onNone: () => host, onSome: (named) => absoluteVault(named, base) }),
            workspace,
            ignores
          )
          /** Each walk goes by the present settings, and writes go by those of the last walk. */
          const readSettings = Effect.map(store.get(workspace), ({ settings }) => {
            ignores.gitignore = settings.vault.gitignore
          })
          const own = { ...vault, walk: (under: string) => Effect.zipRight(readSettings, vault.walk(under)) }
          known.set(workspace, own)
          return own
        })
      const current = Effect.flatMap(
        Effect.serviceOption(Caller),
        Option.match({
          onNone: () => Effect.succeed(own),
          onSome: ({ workspace }) => {
            const cached = known.get(workspace)
            return cached === undefined ? open(workspace) : Effect.succeed(cached)
          }
        })
      )
      const through = <A, E>(use: (vault: Vault["Type"]) => Effect.Effect<A, E>) =>
        Effect.flatMap(current, use)
      return {
        walk: (under) => through((vault) => vault.walk(under)),
        excludes: (path) => through((vault) => vault.excludes?.(path) ?? Effect.succeed(false)),
        read: (path, limitBytes) => through((vault) => vault.read(path, limitBytes)),
        checkWritable: (path) => through((vault) => vault.checkWritable(path)),
        stage: (path, bytes) => through((vault) => vault.stage(path, bytes)),
        stageAhead: (path, bytes) => through((vault) => vault.stageAhead(path, bytes)),
        publish: (path, handle) => through((vault) => vault.publish(path, handle)),
        discard: (handle) => through((vault) => vault.discard(handle)),
        move: (from, to) => through((vault) => vault.move(from, to)),
        trash: (path, id) => through((vault) => vault.trash(path, id)),
        readTrash: (id) => through((vault) => vault.readTrash(id)),
        dropTrash: (id) => through((vault) => vault.dropTrash(id)),
        trashed: through((vault) => vault.trashed),
        strays: through((vault) => vault.strays),
        watch: Stream.unwrap(Effect.map(current, (vault) => vault.watch))
      }
    })
  )
