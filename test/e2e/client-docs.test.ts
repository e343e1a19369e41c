import { spawn } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { expect, inject, it } from "vitest"
import { listen } from "../../server/listen.js"
import { startServer } from "../support/server.js"
import { root } from "../support/tree.js"

/** The example in a project of its own, with the package installed as users have it. */
const folder = join(inject("consumer"), "docs", "client-example")

const compile = (): ReadonlyArray<string> => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  copyFileSync(join(root, "examples", "client.ts"), join(folder, "client.ts"))
  const program = ts.createProgram([join(folder, "client.ts")], {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    // The client's types of requests and responses come from the DOM library.
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    types: ["node"],
    typeRoots: [join(inject("consumer"), "node_modules", "@types")],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true
  })
  program.emit()
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    )
}

/** In a process of its own: the server is in this one. */
const run = (environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const child = spawn(process.execPath, ["client.js"], {
        cwd: folder,
        env: { PATH: process.env["PATH"], ...environment }
      })
      let [stdout, stderr] = ["", ""]
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text
      })
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        stderr += text
      })
      child.on("close", (status) => resolve({ status, stdout, stderr }))
    }
  )

it("docs/client.md: its program does what it says, over a socket", async () => {
  expect(compile()).toEqual([])
  const server = await startServer()
  const listening = await listen(server.fetch, {
    host: "127.0.0.1",
    port: 0,
    bodyTimeoutMs: 10_000,
    sendTimeoutMs: 10_000,
    headersTimeoutMs: 10_000,
    shutdownMs: 1_000
  })
  try {
    const key = await server.key(await server.workspace("readers"))
    const { status, stderr, stdout } = await run({ KANON_URL: listening.url, KANON_KEY: key })
    expect(status, `${stdout}\n${stderr}`).toBe(0)
    expect(stdout).toBe(
      [
        "The launch of Borealis is on 12 March 2027. S1",
        "it is there already: true",
        "projects/borealis.md 1",
        "passages: 1",
        ""
      ].join("\n")
    )
    const refused = await run({ KANON_URL: listening.url, KANON_KEY: "svc_sk_wrong" })
    expect([refused.status, refused.stderr.includes("KanonApiError")]).toEqual([1, true])
  } finally {
    await listening.close()
    await server.close()
  }
})
