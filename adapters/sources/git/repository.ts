import { createHash } from "node:crypto"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import {
  type CrawlTarget,
  type ProviderConfig,
  type SourceFault,
  SourceRateLimited,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable
} from "../../../core/sources/index.js"
import { allowedFolder } from "../local-sources.js"
import type { CrawlerOptions } from "../options.js"
import { type GitFailed, type GitSettings, git, noProgram } from "./git.js"
import { type GuardedProxy, guardedProxy } from "./proxy.js"

/** A copy of one branch of a repository. */
export interface Repository {
  /** The newest commit, as it was when the branch was fetched. */
  readonly head: string
  readonly branch: string
  /** Runs a command that only reads the copy. */
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<Buffer, GitFailed>
  /** Whether the copy has a commit, after asking the source for it. */
  readonly has: (commit: string) => Effect.Effect<boolean>
}

type Target = CrawlTarget<ProviderConfig<"git">>

const copied = "refs/heads/kanon"

/** Fetches the branch into the folder of the connector, or into a temporary one that goes with the scope. */
export const openRepository = (
  options: CrawlerOptions,
  target: Target
): Effect.Effect<Repository, SourceFault, Scope.Scope> =>
  Effect.gen(function* () {
    const { branch, url } = target.config
    const remote = yield* connection(options, target)
    const folder = yield* copyFolder(options, target)
    const settings = { ...remote.settings, folder }
    const run = (args: ReadonlyArray<string>) => git(settings, args)
    const ask = (args: ReadonlyArray<string>) =>
      Effect.mapError(run(args), (failure) => faultOf(failure, url, remote.proxy))

    yield* ask(["init", "--bare", "--quiet"])
    const name = branch ?? (yield* Effect.flatMap(ask(["ls-remote", "--symref", url, "HEAD"]), defaultBranch))
    yield* ask([
      "fetch",
      "--quiet",
      "--force",
      "--no-tags",
      "--no-write-fetch-head",
      url,
      `+refs/heads/${name}:${copied}`
    ])
    const head = (yield* ask(["rev-parse", "--verify", copied])).toString("utf8").trim()
    const isThere = (commit: string) => Effect.isSuccess(run(["cat-file", "-e", `${commit}^{commit}`]))
    return {
      head,
      branch: name,
      run,
      has: (commit) =>
        Effect.flatMap(isThere(commit), (there) =>
          there
            ? Effect.succeed(true)
            : Effect.zipRight(
                Effect.ignore(run(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", url, commit])),
                isThere(commit)
              )
        )
    }
  })

/** Asks the source for the branch, without fetching it. */
export const checkRepository = (
  options: CrawlerOptions,
  target: Target
): Effect.Effect<void, SourceFault, Scope.Scope> =>
  Effect.gen(function* () {
    const { branch, url } = target.config
    const remote = yield* connection(options, target)
    const settings = { ...remote.settings, folder: tmpdir() }
    const listed = yield* Effect.mapError(
      git(
        settings,
        ["ls-remote", "--symref", url, branch === undefined ? "HEAD" : `refs/heads/${branch}`],
        "1 minute"
      ),
      (failure) => faultOf(failure, url, remote.proxy)
    )
    if (branch === undefined) yield* defaultBranch(listed)
    else if (listed.length === 0)
      yield* new SourceRejected({ message: `The repository has no branch ${branch}.` })
  })

interface Connection {
  readonly settings: Omit<GitSettings, "folder">
  readonly proxy: GuardedProxy | null
}

/** How `git` reaches the source: over HTTP through a proxy that checks each address, or a folder of this host. */
const connection = (
  options: CrawlerOptions,
  { config: { url, username = "git" }, credential }: Target
): Effect.Effect<Connection, SourceFault, Scope.Scope> =>
  Effect.gen(function* () {
    const { origin, protocol } = new URL(url)
    if (protocol === "file:") {
      yield* allowedFolder(options, fileURLToPath(url))
      return { settings: { config: {}, secrets: {}, protocols: "file" }, proxy: null }
    }
    const proxy = yield* Effect.mapError(
      guardedProxy(options),
      () => new SourceUnreachable({ message: "No proxy could be started on this host." })
    )
    const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$KANON_GIT_USER" "$KANON_GIT_PASSWORD"; }; f`
    return {
      proxy,
      settings: {
        config: {
          "http.proxy": proxy.url,
          "http.proxyAuthMethod": "basic",
          "http.lowSpeedLimit": "1",
          "http.lowSpeedTime": "60",
          ...(credential === null ? {} : { [`credential.${origin}.helper`]: helper })
        },
        secrets:
          credential === null
            ? {}
            : { KANON_GIT_USER: username, KANON_GIT_PASSWORD: Redacted.value(credential) },
        protocols: "http:https"
      }
    }
  })

const copyFolder = (
  { cacheFolder }: CrawlerOptions,
  { config, key }: Target
): Effect.Effect<string, SourceUnreachable, Scope.Scope> => {
  const cannot = () =>
    new SourceUnreachable({ message: "No folder could be made for the copy of the repository." })
  if (cacheFolder === null)
    return Effect.acquireRelease(
      Effect.tryPromise({ try: () => mkdtemp(join(tmpdir(), "kanon-git-")), catch: cannot }),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
    )
  const name = createHash("sha256").update(`${key}\0${config.url}`).digest("hex").slice(0, 32)
  const folder = join(cacheFolder, "git", name)
  return Effect.as(
    Effect.tryPromise({
      try: async () => {
        await mkdir(folder, { recursive: true })
        // A lock that a killed process left: nobody else uses the folder.
        await Promise.all(
          ["refs/heads/kanon.lock", "packed-refs.lock", "HEAD.lock", "config.lock", "shallow.lock"].map(
            (lock) => rm(join(folder, lock), { force: true })
          )
        )
      },
      catch: cannot
    }),
    folder
  )
}

const defaultBranch = (listed: Buffer): Effect.Effect<string, SourceRejected> => {
  const name = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed.toString("utf8"))?.[1]
  return name === undefined
    ? Effect.fail(new SourceRejected({ message: "The repository is empty, or has no default branch." }))
    : Effect.succeed(name)
}

/** The fault that a message of `git` tells; the message itself may hold addresses of redirects. */
const faultOf = ({ text }: GitFailed, url: string, proxy: GuardedProxy | null): SourceFault => {
  const host = new URL(url).host || "The repository"
  if (proxy?.hasRefused() === true)
    return new SourceRejected({
      message: "The repository, or where it redirects to, lies at an address that this host does not allow."
    })
  if (text === noProgram) return new SourceRejected({ message: noProgram })
  if (/returned error: 429/.test(text))
    return new SourceRateLimited({ message: `${host} asks for a pause (status 429).`, retryAfterMs: 60_000 })
  if (/Authentication failed|could not read (?:Username|Password)|returned error: 40[13]/.test(text))
    return new SourceUnauthorized({ message: `${host} does not accept the credential.` })
  if (/couldn't find remote ref/.test(text))
    return new SourceRejected({ message: "The repository has no such branch." })
  if (
    /repository .* not found|does not appear to be a git repository|returned error: 404|does not exist/i.test(
      text
    )
  )
    return new SourceRejected({ message: `${host} has no such repository.` })
  return new SourceUnreachable({ message: `The repository at ${host} cannot be read.` })
}
