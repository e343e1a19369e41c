import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { VaultUnavailable } from "../../core/kernel/index.js"
import { isVaultFile } from "../../core/markdown/index.js"
import { codeOf } from "./files.js"

/** How long a burst of changes may last before it is passed on. */
const burst = "300 millis"

/** After how many milliseconds a new folder is told once more. */
const again = 1000

/** Stands for "watching from here on" among the paths; no file is called so. */
const ready = ""

const outOfWatches = new Set(["EMFILE", "ENFILE", "ENOSPC"])
const tooMany = "The system lets no more files be watched."

/**
 * Paths that change under a folder, in bursts. The first burst comes when the watcher stands, and may be empty:
 * who looks at the folder at each burst misses nothing. What comes into a new folder at once may be told by the
 * folder's name alone. The watcher is loaded when it is first used.
 */
export const watchVault = (root: string): Stream.Stream<ReadonlyArray<string>, VaultUnavailable> =>
  Stream.asyncPush<string, VaultUnavailable>((emit) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const { watch } = await import("chokidar")
        const watcher = watch(root, {
          cwd: root,
          ignoreInitial: true,
          followSymlinks: false,
          ignorePermissionErrors: true,
          ignored: (path) => /(^|[/\\])\.[^/\\.]/u.test(path.slice(root.length))
        })
        watcher.on("ready", () => emit.single(ready))
        // Unheard, it would end the program that embeds us. What cannot be read is told by the walk that follows.
        watcher.on("error", (error) => {
          const code = codeOf(error)
          if (outOfWatches.has(code)) emit.fail(new VaultUnavailable({ code, message: tooMany }))
          else emit.single(ready)
        })
        // Markdown and folders alone: data kept in a folder of the vault would else call for ingests that write data.
        watcher.on("all", (event, path) => {
          const name = String(path).replaceAll("\\", "/")
          if (event.endsWith("Dir") || isVaultFile(name)) emit.single(name)
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
