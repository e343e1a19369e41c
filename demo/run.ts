// Shows Kanon on a vault of its own: the demonstration vault beside this file and the project's documentation.
// `npm run demo` builds first; this drives the built command and the built engine, as a user would.
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import * as Effect from "effect/Effect"
import { z } from "zod"
import type { Engine } from "../core/engine/engine/index.js"
import { present } from "../server/cli/ask.js"
import { paint } from "../server/cli/terminal.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const built = join(root, "dist")

const Question = z.object({
  question: z.string(),
  answerable: z.boolean(),
  /** What a right answer says. */
  expect: z.string().nullable(),
  demo: z.boolean().optional()
})
type Question = z.infer<typeof Question>

/** Runs the command with its output on the terminal, progress included; stops the demo when it fails. */
const kanon = (vault: string, ...args: ReadonlyArray<string>): void => {
  console.log(paint.dim(`$ kanon ${args.join(" ")}`))
  const command = join(built, "bin", "kanon.js")
  const { error, status } = spawnSync(process.execPath, [command, ...args], { cwd: vault, stdio: "inherit" })
  if (status !== 0)
    throw new Error(`kanon ${args.join(" ")} failed: ${error?.message ?? `exit code ${status}`}`)
  console.log()
}

/** Asks one question and prints the answer; false when it is not what the vault holds. */
const ask = async (engine: Engine, { answerable, expect, question }: Question): Promise<boolean> => {
  console.log(paint.dim("─".repeat(72)))
  console.log(`${paint.bold(question)}\n`)
  const answer = await engine.ask(question)
  console.log(`${await Effect.runPromise(present(engine, question, answer))}\n`)
  const isCited = answer.claims.length > 0 && answer.claims.every(({ citations }) => citations.length > 0)
  const saysIt = answer.claims.some(({ text }) => text.includes(expect ?? ""))
  const isRight = answerable ? isCited && saysIt : answer.claims.length === 0
  if (!isRight)
    console.log(paint.red(answerable ? `This should have said: ${expect}\n` : "This is invented.\n"))
  return isRight
}

/** The questions whose answer is not what it should be. */
const askAll = async (
  vault: string,
  questions: ReadonlyArray<Question>
): Promise<ReadonlyArray<Question>> => {
  // Its address is only known here, so that this file can be type-checked before there is a build.
  const address = pathToFileURL(join(built, "adapters", "sqlite", "index.js")).href
  const { createEngine }: typeof import("../adapters/sqlite/index.js") = await import(address)
  const engine = await createEngine({ vault, worker: false })
  const wrong: Array<Question> = []
  try {
    for (const question of questions) if (!(await ask(engine, question))) wrong.push(question)
  } finally {
    await engine.close()
  }
  return wrong
}

const readQuestions = (): ReadonlyArray<Question> =>
  z.array(Question).parse(JSON.parse(readFileSync(join(root, "demo", "questions.json"), "utf8")))

const vault = mkdtempSync(join(tmpdir(), "kanon-demo-"))
process.once("exit", () => rmSync(vault, { recursive: true, force: true }))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130))
try {
  cpSync(join(root, "demo", "vault"), vault, {
    recursive: true,
    filter: (path) => !path.split(/[\\/]/).includes(".kanon")
  })
  cpSync(join(root, "docs"), join(vault, "kanon-docs"), { recursive: true })
  kanon(vault, "init", "--name", "Kelderay Tidal")
  kanon(vault, "ingest")
  const wrong = await askAll(
    vault,
    readQuestions().filter(({ demo }) => demo === true)
  )
  console.log(paint.dim("─".repeat(72)))
  console.log("Go on with questions of your own, over this vault or yours:\n")
  console.log(paint.cyan('  npx kanon ask "Which decision superseded ADR-0003?" --vault demo/vault'))
  console.log(paint.cyan('  npx kanon ask "…" --vault DIR'))
  process.exitCode = wrong.length === 0 ? 0 : 1
} catch (error) {
  console.error(paint.red(error instanceof Error ? error.message : String(error)))
  process.exitCode = 1
}
