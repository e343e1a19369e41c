import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { z } from "zod"
import {
  type ChangePage,
  type Checkpoint,
  CheckpointExpired,
  type Crawler,
  type FetchedItem,
  type ItemChange,
  ItemGone,
  ItemUnreadable,
  readSshAddress,
  type SourceFault,
  SourceRejected,
  SourceUnreachable
} from "../../../core/connected/sources/index.js"
import { cachedSuccess } from "../cached.js"
import { idsOf, readCheckpoint } from "../checkpoints.js"
import { readListing } from "../html.js"
import { itemMaxBytes } from "../http.js"
import { isLibraryFile, isoMoment, libraryPath } from "../item-path.js"
import { type CrawlerOptions, providerOf } from "../options.js"
import { changeArguments } from "./changes.js"
import type { GitFailed } from "./git.js"
import { historyArguments, readHistory } from "./history.js"
import { checkRepository, openRepository, type Repository } from "./repository.js"

/** A branch of a Git repository, read by the program `git`. */
export const gitRepository = (options: CrawlerOptions) =>
  providerOf("git", (target) =>
    Effect.gen(function* () {
      if (target.credential === null && readSshAddress(target.config.url) !== null)
        return yield* new SourceRejected({
          message: "A repository that is reached over SSH needs a private key as its credential."
        })
      const scope = yield* Effect.scope
      const repository = yield* cachedSuccess(Scope.extend(openRepository(options, target), scope))
      const check = Effect.scoped(checkRepository(options, target))
      return yield* crawlerOf(target.config, repository, check, options)
    })
  )

/** Position of a crawl in the changes from `base` to `commit`; without a commit, before the next crawl. */
const Position = z.object({
  base: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  commit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  after: z.int().min(0)
})
type Position = z.infer<typeof Position>

const crawlerOf = (
  { paths, url }: { readonly url: string; readonly paths?: ReadonlyArray<string> | undefined },
  repository: Effect.Effect<Repository, SourceFault>,
  check: Crawler["check"],
  { pageSize = 500, tasks }: Pick<CrawlerOptions, "pageSize" | "tasks">
): Effect.Effect<Crawler> =>
  Effect.gen(function* () {
    const history = yield* cachedSuccess(
      Effect.flatMap(repository, ({ head, run }) =>
        Effect.map(read(run(historyArguments(head))), (log) => readHistory(log.toString("utf8")))
      )
    )
    let last: { readonly key: string; readonly changes: ReadonlyArray<ItemChange> } | null = null
    const changesBetween = (base: string | null, commit: string) =>
      Effect.gen(function* () {
        const key = `${base} ${commit}`
        if (last?.key === key) return last.changes
        const diff = yield* read((yield* repository).run(changeArguments(base, commit, paths)))
        const changes = yield* readListing(tasks.run("gitChanges", { diff, paths }), "The repository")
        last = { key, changes }
        return changes
      })

    const changes = (checkpoint: Checkpoint | null) =>
      Effect.gen(function* () {
        const { has, head } = yield* repository
        const start: Position =
          checkpoint === null
            ? { base: null, commit: null, after: 0 }
            : yield* readCheckpoint(Position, checkpoint)
        const commit = start.commit ?? head
        for (const known of [start.base, commit])
          if (known !== null && known !== head && !(yield* has(known)))
            return yield* new CheckpointExpired({
              message: "The branch was rewritten: its old commits are gone."
            })
        const all = start.base === commit ? [] : yield* changesBetween(start.base, commit)
        const end = start.after + pageSize
        const isLast = end >= all.length
        return {
          changes: all.slice(start.after, end),
          failures: [],
          checkpoint: isLast
            ? { base: commit, commit: null, after: 0 }
            : { base: start.base, commit, after: end },
          isLast,
          total: all.length
        } satisfies ChangePage
      })

    return {
      traits: { changes: "feed", deletions: "changes", moves: true },
      check,
      changes,
      listIds: (position) => Effect.map(changes(position), idsOf),
      fetch: (externalId) =>
        Effect.gen(function* () {
          const { branch, head, run } = yield* repository
          if (!isLibraryFile(externalId)) return yield* new ItemGone({ externalId })
          const entry = (yield* read(
            run(["ls-tree", "-z", "--long", "--full-tree", head, "--", `:(literal)${externalId}`])
          )).toString("utf8")
          // mode type id size, tab, path
          const found = /^100\d{3} blob ([0-9a-f]+) +(\d+)\t/.exec(entry)
          if (found === null) return yield* new ItemGone({ externalId })
          const [, version = "", size = "0"] = found
          if (Number(size) > itemMaxBytes)
            return yield* new ItemUnreadable({
              externalId,
              message: `The file has more than ${itemMaxBytes / 1024 / 1024} MiB.`,
              isPermanent: true
            })
          const bytes = yield* read(run(["cat-file", "blob", version]))
          if (bytes.subarray(0, 50).toString("latin1").startsWith("version https://git-lfs.github.com/spec/"))
            return yield* new ItemUnreadable({
              externalId,
              message: "The content of the file is kept in Git LFS, which is not read.",
              isPermanent: true
            })
          const lastChange = (yield* history).get(externalId)
          return {
            externalId,
            version,
            path: libraryPath(externalId),
            title: null,
            url: webAddress(url, branch, externalId),
            author: lastChange?.author ?? null,
            createdAt: isoMoment(lastChange?.createdAt),
            modifiedAt: isoMoment(lastChange?.modifiedAt),
            labels: [],
            body: {
              bytes: new Uint8Array(bytes),
              mediaType: /\.md$/i.test(externalId) ? "text/markdown" : null
            },
            attachments: [],
            warnings: []
          } satisfies FetchedItem
        })
    }
  })

const read = (output: Effect.Effect<Buffer, GitFailed>) =>
  Effect.mapError(
    output,
    () => new SourceUnreachable({ message: "The copy of the repository on this host cannot be read." })
  )

/** Path segment under which the usual hosts of repositories show files. */
const sites = [
  { host: /github/i, part: "blob" },
  { host: /gitlab/i, part: "-/blob" },
  { host: /bitbucket/i, part: "src" },
  { host: /gitea|forgejo|codeberg/i, part: "src/branch" }
]

/** Returns the address at which a browser shows the file; null when unknown. */
export const webAddress = (url: string, branch: string, path: string): string | null => {
  const ssh = readSshAddress(url)
  // Hosts of repositories show them under the name under which they serve them over SSH; of other servers nobody knows.
  if (ssh !== null)
    return sites.some(({ host }) => host.test(ssh.host))
      ? webAddress(`https://${ssh.host}/${ssh.path.replace(/^\//, "")}`, branch, path)
      : null
  const { host, origin, pathname, protocol } = new URL(url)
  if (protocol === "file:") return null
  const part = sites.find((one) => one.host.test(host))?.part ?? "blob"
  const encoded = [...branch.split("/"), ...path.split("/")].map(encodeURIComponent).join("/")
  return `${origin}${pathname.replace(/\/$/, "").replace(/\.git$/, "")}/${part}/${encoded}`
}
