import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"
import { describe, expect, inject, it } from "vitest"
import { root } from "../support/tree.js"

/** The installed package's command, as a stranger has it. */
const commands = join(inject("consumer"), "node_modules", ".bin")

describe("a stranger with docs/server.md, kanon and curl", () => {
  it("sees every answer that is documented", async () => {
    const clean = Object.entries(process.env).filter(
      ([name]) => !/^(KANON_|VITEST|NODE_OPTIONS|NODE_ENV)/.test(name)
    )
    const child = spawn("bash", [join(root, "test", "walk", "server-walk.sh")], {
      env: { ...Object.fromEntries(clean), PATH: `${commands}${delimiter}${process.env["PATH"] ?? ""}` },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text
      })
    const status = await new Promise((resolve) => child.once("close", resolve))
    expect(status, said).toBe(0)
    expect(said).toContain("not seen:")
  })
})
