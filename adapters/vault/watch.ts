import { realpath } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { VaultUnavailable } from "../../core/platform/kernel/index.js"
import { codeOf } from "./files.js"
import { isTakenIn } from "./taken-in.js"

/** Maximum duration of a burst of changes before it is emitted. */
const burst = "300 millis"

/** Delay in milliseconds after which a new folder is reported again. */
const again = 1000

/** Marks the start of watching among the paths; no file has this name. */
const ready = ""

const outOfWatches = new Set(["EMFILE", "ENFILE", "ENOSPC"])
const tooMany = "The system's limit of watched files is reached."

/**
 * Emits paths that change under a folder, in bursts. The first burst, which may be empty, comes when watching has
 * started: a caller that scans the folder after each burst misses nothing. A new folder with its content may be
 * reported by the folder's name alone. The watcher is loaded on first use.
 */
export const watchVault = (named: string): Stream.Stream<ReadonlyArray<string>, VaultUnavailable> =>
  Stream.asyncPush<string, VaultUnavailable>((emit) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { watch } = await import("chokidar")
        // The vault may be a symbolic link; links in it are not followed.
        const root = await realpath(named).catch(() => named)
        const watcher = watch(root, {
          cwd: root,
          ignoreInitial: true,
          followSymlinks: false,
          ignorePermissionErrors: true,
          ignored: (path) => /(^|[/\\])\.[^/\\.]/u.test(path.slice(root.length))
        })
        watcher.on("ready", () => emit.single(ready))
        // Without a listener the error would end the host process. The following scan reports what cannot be read.
        watcher.on("error", (error) => {
          const code = codeOf(error)
          if (outOfWatches.has(code)) emit.fail(new VaultUnavailable({ code, message: tooMany }))
          else emit.single(ready)
        })
        // Only Markdown files and folders: database files in a folder of the vault would otherwise trigger ingests
        // that write them again.
        watcher.on("all", (event, path) => {
          const name = String(path).replaceAll("\\", "/")
          if (event.endsWith("Dir") || isTakenIn(name)) emit.single(name)
          // A new folder is read before it is watched: what came into it between the two is told by this alone.
          if (event === "addDir") setTimeout(() => emit.single(name), again).unref()
        })
        return watcher
      }),
      (watcher) => Effect.promise(() => watcher.close())
    )
  ).pipe(
    Stream.groupedWithin(1000, burst),
    Stream.map((paths) => [...paths].filter((path) => path !== ready))
  )
