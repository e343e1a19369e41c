import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { temporaryFolder } from "../support/folders.js"
import { isLong } from "../support/runs.js"
import { type ShellCommands, shellCommands } from "../support/shell-commands.js"
import { root } from "../support/tree.js"

/** The installed package's command, as a stranger has it. */
const commands = join(inject("consumer"), "node_modules", ".bin")

/**
 * Folder of the script that the shell reads first. The server is a process; administration commands start processes of
 * their own only in the long form.
 */
const before = temporaryFolder("walk")
let administering: ShellCommands | undefined
beforeAll(async () => {
  if (!isLong)
    administering = await shellCommands(join(inject("consumer"), "node_modules", "kanon", "dist", "bin"))
  writeFileSync(join(before, "commands.sh"), administering?.define ?? "")
})
afterAll(() => administering?.close())

describe("a stranger with docs/server.md, kanon and curl", () => {
  it("sees every answer that is documented", async () => {
    const clean = Object.entries(process.env).filter(
      ([name]) => !/^(KANON_|VITEST|NODE_OPTIONS|NODE_ENV)/.test(name)
    )
    const child = spawn("bash", [join(root, "test", "e2e", "server-walk.sh")], {
      env: {
        ...Object.fromEntries(clean),
        PATH: `${commands}${delimiter}${process.env["PATH"] ?? ""}`,
        BASH_ENV: join(before, "commands.sh")
      },
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
