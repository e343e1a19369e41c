import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import {
  type CrawlTarget,
  type ProviderConfig,
  readSshAddress,
  type SourceFault,
  SourceRateLimited,
  SourceRejected,
  SourceUnauthorized,
  SourceUnreachable
} from "../../../core/connected/sources/index.js"
import { privateFolderMode } from "../../host/private-files.js"
import { allowedFolder, type CrawlerOptions } from "../options.js"
import { type GitFailed, type GitSettings, git, noProgram } from "./git.js"
import { type GuardedProxy, guardedProxy } from "./proxy.js"
import { sshEnvironment, sshFault } from "./ssh.js"

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
    const run = (args: ReadonlyArray<string>) => git({ ...local, folder }, args)
    const ask = (args: ReadonlyArray<string>) => remote(folder, args)
    const here = (args: ReadonlyArray<string>) =>
      Effect.mapError(run(args), (failure) => faultOf(failure, null, null))

    if (!existsSync(join(folder, "HEAD"))) {
      const reference = branch === undefined ? "HEAD" : `refs/heads/${branch}`
      // A copy takes only objects of its own format, which the length of an id tells.
      const isSha256 = /^[0-9a-f]{64}\t/m.test((yield* ask(["ls-remote", url, reference])).toString("utf8"))
      yield* here(["init", "--bare", "--quiet", ...(isSha256 ? ["--object-format=sha256"] : [])])
    }
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
    const head = (yield* here(["rev-parse", "--verify", copied])).toString("utf8").trim()
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
                Effect.ignore(ask(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", url, commit])),
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
    const reference = branch === undefined ? "HEAD" : `refs/heads/${branch}`
    const listed = yield* remote(tmpdir(), ["ls-remote", "--symref", url, reference], "1 minute")
    if (branch === undefined) yield* defaultBranch(listed)
    else if (listed.length === 0)
      yield* new SourceRejected({ message: `The repository has no branch ${branch}.` })
  })

/** Runs a command that asks the source. */
type Connection = (
  folder: string,
  args: ReadonlyArray<string>,
  timeout?: Duration.DurationInput
) => Effect.Effect<Buffer, SourceFault>

/** For commands that read the copy alone. */
const local: Omit<GitSettings, "folder"> = { config: {}, secrets: {}, protocols: "none" }

/**
 * How `git` reaches the source: over HTTP through a proxy that checks each address, over SSH with the address and the
 * keys of the server checked, or a folder of this host.
 */
const connection = (
  options: CrawlerOptions,
  target: Target
): Effect.Effect<Connection, SourceFault, Scope.Scope> =>
  Effect.gen(function* () {
    const { config, credential } = target
    const { url, username = "git" } = config
    const ssh = readSshAddress(url)
    if (ssh !== null)
      return (folder, args, timeout) =>
        Effect.scoped(
          Effect.flatMap(sshEnvironment(options, ssh, target), (secrets) =>
            Effect.mapError(
              git({ config: {}, secrets, protocols: "ssh", folder }, args, timeout),
              (failure) => sshFault(failure.text, ssh.host) ?? faultOf(failure, ssh.host, null)
            )
          )
        )
    const { host, origin, protocol } = new URL(url)
    const connected =
      (settings: Omit<GitSettings, "folder">, proxy: GuardedProxy | null): Connection =>
      (folder, args, timeout) =>
        Effect.mapError(git({ ...settings, folder }, args, timeout), (failure) =>
          faultOf(failure, host === "" ? null : host, proxy)
        )
    if (protocol === "file:") {
      yield* allowedFolder(options, fileURLToPath(url))
      return connected({ config: {}, secrets: {}, protocols: "file" }, null)
    }
    const proxy = yield* Effect.mapError(
      guardedProxy(options),
      () => new SourceUnreachable({ message: "No proxy could be started on this host." })
    )
    const helper = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$KANON_GIT_USER" "$KANON_GIT_PASSWORD"; }; f`
    const settings = {
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
    return connected(settings, proxy)
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
        await mkdir(folder, { recursive: true, mode: privateFolderMode })
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

/**
 * The fault that a message of `git` tells; the message itself may hold addresses of redirects.
 *
 * @param server The host of the repository; null for one on this host.
 */
const faultOf = ({ text }: GitFailed, server: string | null, proxy: GuardedProxy | null): SourceFault => {
  const host = server ?? "This host"
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
  if (/mismatched algorithms/.test(text))
    return new SourceRejected({
      message:
        "The repository has another object format than its copy on this host: a new connector makes a new copy."
    })
  return new SourceUnreachable({
    message:
      server === null ? "The repository cannot be read." : `The repository at ${server} cannot be read.`
  })
}
