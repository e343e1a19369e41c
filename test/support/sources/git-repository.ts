import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { webServer } from "./crawling.js"

const people = {
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org"
}

/** A repository with one branch, `main`. */
export const gitRepository = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-repository-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => {
    const git = (...args: ReadonlyArray<string>): string => {
      const { status, stderr, stdout } = spawnSync("git", args, {
        cwd: folder,
        env: { ...process.env, ...people, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
        encoding: "utf8"
      })
      if (status !== 0) throw new Error(stderr)
      return stdout
    }
    git("init", "--quiet", "--initial-branch=main")
    git("config", "http.receivepack", "false")
    return {
      folder,
      git,
      write: (path: string, text: string) => {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      },
      commit: (message: string) => {
        git("add", "--all")
        git("commit", "--quiet", "--message", message)
      }
    }
  }
)

/** How the contract of crawlers changes the documents of a repository. */
export const changesIn = ({ commit, git, write }: Effect.Effect.Success<typeof gitRepository>) => ({
  put: async (name: string, text: string) => {
    write(`docs/${name}.md`, `# ${name}\n\n${text}\n`)
    commit(`Write ${name}`)
  },
  remove: async (name: string) => {
    git("rm", "--quiet", `docs/${name}.md`)
    commit(`Remove ${name}`)
  },
  rename: async (from: string, to: string) => {
    git("mv", `docs/${from}.md`, `docs/${to}.md`)
    commit(`Rename ${from}`)
  }
})

/** Serves a repository over HTTP as `git http-backend` does, with a name and a password. */
export const gitServer = (folder: string, authorization: string) =>
  webServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost")
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end()
      return
    }
    const child = spawn("git", ["http-backend"], {
      env: {
        PATH: process.env["PATH"] ?? "",
        GIT_PROJECT_ROOT: join(folder, ".git"),
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        PATH_INFO: url.pathname.replace(/^\/repository\.git/, ""),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method ?? "GET",
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        HTTP_CONTENT_ENCODING: String(request.headers["content-encoding"] ?? ""),
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        REMOTE_USER: "reader"
      }
    })
    const parts: Array<Buffer> = []
    child.stdout.on("data", (part: Buffer) => parts.push(part))
    child.on("close", () => {
      const output = Buffer.concat(parts)
      const end = output.indexOf("\r\n\r\n")
      const headers = Object.fromEntries(
        output
          .subarray(0, end)
          .toString("latin1")
          .split("\r\n")
          .map((line) => line.split(": ", 2) as [string, string])
      )
      const status = Number(headers["Status"]?.slice(0, 3) ?? 200)
      delete headers["Status"]
      response.writeHead(status, headers).end(output.subarray(end + 4))
    })
    // For a request without a body Git may have ended before.
    child.stdin.on("error", () => undefined).end(Buffer.from(request.body, "latin1"))
  })
