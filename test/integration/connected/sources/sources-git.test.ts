import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { webAddress } from "../../../../adapters/sources/git/crawler.js"
import { providerConfigs } from "../../../../core/connected/sources/index.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler, webServer } from "../../../support/sources/crawling.js"
import { gitRepository, gitServer } from "../../../support/sources/git-repository.js"

const authorization = `Basic ${Buffer.from("git:token-123").toString("base64")}`

it("a repository is read over HTTP with a token, and moves are told from deletions", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { commit, folder, git, write } = yield* gitRepository
        write("docs/guide.md", "# Guide\n\nA guide with several lines.\n\nSo that a rename is recognised.\n")
        write("docs/draft/later.md", "later")
        write("src/main.ts", "code")
        write("notes.txt", "outside")
        write("docs/large.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        commit("Begin")
        const origin = yield* gitServer(folder, authorization)
        const cacheFolder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-cache-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
        )
        const open = (credential: string | null) =>
          openCrawler(
            {
              provider: "git",
              url: `${origin}/repository.git`,
              branch: "main",
              paths: ["docs/**", "!docs/draft/**"]
            },
            { credential, cacheFolder, pageSize: 10 }
          )
        const first = yield* open("token-123")
        yield* first.check
        const all = yield* first.changes(null)
        expect(all.changes.map(({ externalId }) => externalId)).toEqual(["docs/guide.md", "docs/large.txt"])
        expect(yield* Effect.flip(first.fetch("docs/large.txt"))).toMatchObject({ isPermanent: true })
        expect(yield* first.fetch("docs/guide.md")).toMatchObject({
          author: "Ada",
          path: "docs/guide.md",
          url: `${origin}/repository/blob/main/docs/guide.md`
        })

        const born = (yield* first.fetch("docs/guide.md")).createdAt
        git("mv", "docs/guide.md", "docs/handbook.md")
        write("docs/new.md", "new")
        git("rm", "--quiet", "docs/large.txt")
        commit("Move")
        const second = yield* open("token-123")
        const changed = yield* second.changes(all.checkpoint)
        expect(changed.changes).toMatchObject(
          [
            { op: "delete", externalId: "docs/large.txt" },
            { op: "upsert", externalId: "docs/new.md" },
            { op: "move", previousId: "docs/guide.md", externalId: "docs/handbook.md" }
          ].sort(byId)
        )
        expect((yield* second.fetch("docs/handbook.md")).createdAt).toBe(born)

        // A branch that was rewritten still shows what differs.
        git("reset", "--quiet", "--hard", "HEAD~1")
        git("commit", "--quiet", "--amend", "--message", "Rewritten")
        const third = yield* open("token-123")
        expect((yield* third.changes(changed.checkpoint)).changes.map(({ op }) => op).sort()).toEqual([
          "delete",
          "move",
          "upsert"
        ])

        const refused = yield* Effect.flip((yield* open("wrong")).check)
        expect(refused._tag).toBe("SourceUnauthorized")
        expect(refused.message).not.toContain("wrong")
      })
    )
  ))

const byId = (a: { readonly externalId: string }, b: { readonly externalId: string }) =>
  a.externalId < b.externalId ? -1 : 1

it("a repository in a private network, a redirect into one and a folder outside those allowed are refused", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const redirecting = yield* webServer((_, response) => {
          response.writeHead(301, { location: "http://169.254.169.254/repository.git/info/refs" }).end()
        })
        const check = (url: string, privateAddresses: boolean) =>
          Effect.scoped(
            Effect.gen(function* () {
              const crawler = yield* openCrawler({ provider: "git", url }, { privateAddresses })
              yield* crawler.check
            })
          ).pipe(Effect.flip)
        for (const fault of [
          yield* check(`${redirecting}/repository.git`, false),
          yield* check(`${redirecting}/repository.git`, true),
          yield* check("http://metadata.localhost/repository.git", false),
          yield* check(`file://${tmpdir()}`, true)
        ])
          expect(fault._tag).toBe("SourceRejected")
      })
    )
  ))

const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nvery secret\n-----END OPENSSH PRIVATE KEY-----"
const knownHosts = "localhost ssh-ed25519 AAAA"

/** Puts a program `ssh` first, which notes how it is called and runs the command on this machine. */
const recordedSsh = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-program-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const program = join(folder, "ssh")
  writeFileSync(
    program,
    `#!/bin/sh
settings="$2"
for last; do :; done
printf '%s\\n' "$@" > "${folder}/arguments"
cp "$settings" "${folder}/config"
cp "$(sed -n 's/^IdentityFile "\\(.*\\)"$/\\1/p' "$settings")" "${folder}/key"
cp "$(sed -n 's/^UserKnownHostsFile "\\(.*\\)"$/\\1/p' "$settings")" "${folder}/known_hosts"
if [ -e "${folder}/message" ]; then cat "${folder}/message" >&2; exit 255; fi
exec sh -c "$last"
`
  )
  chmodSync(program, 0o755)
  const before = process.env["PATH"]
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      process.env["PATH"] = `${folder}${delimiter}${before}`
    }),
    () =>
      Effect.sync(() => {
        process.env["PATH"] = before
      })
  )
  return {
    seen: (name: string) => readFileSync(join(folder, name), "utf8"),
    fail: (message: string) => writeFileSync(join(folder, "message"), message)
  }
})

it("a repository is read over SSH with a key that is gone afterwards, from a server whose key is known", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { commit, folder, write } = yield* gitRepository
        write("guide.md", "# Guide\n")
        commit("Begin")
        const ssh = yield* recordedSsh
        const keysLeft = () => readdirSync(tmpdir()).filter((name) => name.startsWith("kanon-ssh-"))
        const open = (url: string, options: { readonly privateAddresses?: boolean } = {}) =>
          openCrawler({ provider: "git", url, knownHosts }, { ...options, credential: privateKey })
        const crawler = yield* open(`ssh://git@localhost:2222${folder}`)
        expect((yield* crawler.changes(null)).changes).toMatchObject([{ externalId: "guide.md" }])
        expect((yield* crawler.fetch("guide.md")).url).toBeNull()
        expect(keysLeft()).toEqual([])
        expect(ssh.seen("arguments").split("\n")).toEqual(
          expect.arrayContaining(["-p", "2222", "git@localhost"])
        )
        expect(ssh.seen("key")).toBe(`${privateKey}\n`)
        expect(ssh.seen("known_hosts")).toBe(`${knownHosts}\n`)
        const settings = ssh.seen("config")
        for (const line of [
          /^HostName (?:127\.0\.0\.1|::1)$/m,
          /^HostKeyAlias \[localhost\]:2222$/m,
          /^StrictHostKeyChecking yes$/m,
          /^IdentitiesOnly yes$/m,
          /^BatchMode yes$/m,
          /^GlobalKnownHostsFile \/dev\/null$/m
        ])
          expect(settings).toMatch(line)

        expect(
          yield* Effect.flip((yield* open(`git@localhost:${folder}`, { privateAddresses: false })).check)
        ).toMatchObject({ _tag: "SourceRejected" })
        for (const [message, fault] of [
          ["Host key verification failed.", { _tag: "SourceRejected" }],
          ["git@localhost: Permission denied (publickey).", { _tag: "SourceUnauthorized" }],
          ['Load key "key": error in libcrypto', { _tag: "SourceUnauthorized" }],
          ["ssh: connect to host localhost port 22: Connection refused", { _tag: "SourceUnreachable" }]
        ] as const) {
          ssh.fail(message)
          const told = yield* Effect.flip((yield* open(`git@localhost:${folder}`)).check)
          expect(told).toMatchObject(fault)
          expect(told.message).not.toContain("secret")
        }
        expect(keysLeft()).toEqual([])
        expect(existsSync(folder)).toBe(true)
      })
    )
  ))

it("an address over SSH needs a key and the keys of the server, and shows files where its host does", () => {
  const parsed = (config: Readonly<Record<string, unknown>>) =>
    providerConfigs.git.safeParse({ provider: "git", ...config }).success
  for (const url of [
    "ssh://git@example.org/a.git",
    "ssh://example.org:2222/a",
    "git@example.org:team/a.git"
  ]) {
    expect(parsed({ url, knownHosts })).toBe(true)
    expect(parsed({ url })).toBe(false)
  }
  expect(parsed({ url: "https://example.org/a.git", knownHosts })).toBe(false)
  for (const url of [
    "ssh://-oProxyCommand=x/a",
    "-u@example.org:a",
    "git@-o:a",
    "ssh://git:password@example.org/a",
    "git@example.org: a",
    "ext::sh -c x",
    "example.org:a"
  ])
    expect(parsed({ url, knownHosts }), url).toBe(false)
  const told = providerConfigs.git.safeParse({ provider: "git", url: "https://ada:secret@example.org/a" })
  expect(told.error?.issues).toMatchObject([
    { path: ["url"], message: "The address must not hold a user name or a password." }
  ])
  const refused = openCrawler({ provider: "git", url: "git@example.org:a.git", knownHosts })
  expect(Effect.runSync(Effect.scoped(Effect.flip(refused))).message).toContain("private key")
  expect(webAddress("git@github.com:team/notes.git", "main", "docs/a b.md")).toBe(
    "https://github.com/team/notes/blob/main/docs/a%20b.md"
  )
  expect(webAddress("ssh://git@gitlab.example.org:2222/team/notes.git", "main", "a.md")).toBe(
    "https://gitlab.example.org/team/notes/-/blob/main/a.md"
  )
  expect(webAddress("git@files.example.org:notes.git", "main", "a.md")).toBeNull()
})

it("a repository of SHA-256 objects is read, with its changes", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { commit, folder, git, write } = yield* gitRepository
        rmSync(join(folder, ".git"), { recursive: true })
        git("init", "--quiet", "--initial-branch=main", "--object-format=sha256")
        write("a.md", "# A\n")
        commit("Begin")
        const crawler = yield* openCrawler(
          { provider: "git", url: `file://${folder}` },
          { folders: [folder] }
        )
        const all = yield* crawler.changes(null)
        expect(all.changes).toMatchObject([{ op: "upsert", externalId: "a.md" }])
        expect(yield* crawler.fetch("a.md")).toMatchObject({ author: "Ada", path: "a.md" })
        write("b.md", "# B\n")
        commit("More")
        const later = yield* openCrawler({ provider: "git", url: `file://${folder}` }, { folders: [folder] })
        expect((yield* later.changes(all.checkpoint)).changes).toMatchObject([{ externalId: "b.md" }])
      })
    )
  ))

it("text that was written while a conflict was solved has the author and date of the merge", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { commit, folder, git, write } = yield* gitRepository
        const by = (name: string, day: string) => {
          for (const part of ["author", "committer"]) git("config", `${part}.name`, name)
          process.env["GIT_AUTHOR_DATE"] = `${day}T12:00:00Z`
          process.env["GIT_COMMITTER_DATE"] = `${day}T12:00:00Z`
        }
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => {
            delete process.env["GIT_AUTHOR_DATE"]
            delete process.env["GIT_COMMITTER_DATE"]
          })
        )
        by("Ada", "2026-01-10")
        write("a.md", "# A\n\nfirst\n")
        write("clean.md", "# Clean\n\nfirst\n")
        commit("Begin")
        git("checkout", "--quiet", "-b", "side")
        by("Cy", "2026-02-01")
        write("a.md", "# A\n\nside\n")
        write("clean.md", "# Clean\n\nside\n")
        commit("Side")
        git("checkout", "--quiet", "main")
        by("Ada", "2026-02-10")
        write("a.md", "# A\n\nmain\n")
        commit("Main")
        by("Bea", "2026-03-02")
        try {
          git("merge", "--quiet", "side")
        } catch {
          // It stops at the conflict.
        }
        write("a.md", "# A\n\nsolved\n")
        commit("Merge")
        const crawler = yield* openCrawler(
          { provider: "git", url: `file://${folder}` },
          { folders: [folder] }
        )
        expect(yield* crawler.fetch("a.md")).toMatchObject({
          modifiedAt: "2026-03-02T12:00:00.000Z",
          createdAt: "2026-01-10T12:00:00.000Z"
        })
        expect(yield* crawler.fetch("clean.md")).toMatchObject({ modifiedAt: "2026-02-01T12:00:00.000Z" })
      })
    )
  ))

it("a folder that is no repository is told in a sentence", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { folder } = yield* gitRepository
        rmSync(join(folder, ".git"), { recursive: true })
        const crawler = yield* openCrawler(
          { provider: "git", url: `file://${folder}` },
          { folders: [folder] }
        )
        expect((yield* Effect.flip(crawler.changes(null))).message).toBe("This host has no such repository.")
      })
    )
  ))
