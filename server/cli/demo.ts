import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { present } from "./ask.js"
import { command } from "./command.js"
import { failed, wrongUsage } from "./failure.js"
import { call, ingestFiles, withWorkspace } from "./session.js"
import { paint } from "./terminal.js"
import { cleanLine } from "./text.js"

/** The example vault and its questions: in `dist` of the package, beside it in the repository. */
const examples = (): string => {
  const root = dirname(createRequire(import.meta.url).resolve("kanon/package.json"))
  const packed = join(root, "dist", "demo")
  return existsSync(packed) ? packed : join(root, "demo")
}

const Questions = z.array(z.object({ question: z.string(), demo: z.boolean().default(false) }))

export const demoCommand = command("demo", {
  description: "Copy an example vault into a new folder, and answer questions over it.",
  input: z.object({
    folder: z.string().default("kanon-demo").describe("The folder to make; by default kanon-demo.")
  }),
  arguments: { folder: {} },
  run: function* (input) {
    const folder = resolve(input.folder)
    if (existsSync(folder) && readdirSync(folder).length > 0)
      return yield* wrongUsage(`${folder} is not empty; name a folder that is not there yet.`)
    const questions = yield* Effect.try({
      try: () => {
        cpSync(join(examples(), "vault"), folder, {
          recursive: true,
          filter: (path) => !path.split(/[\\/]/u).includes(".kanon")
        })
        return Questions.parse(JSON.parse(readFileSync(join(examples(), "questions.json"), "utf8")))
      },
      catch: (error) => failed("file_unavailable", error instanceof Error ? error.message : String(error))
    })
    yield* withWorkspace({ ...input, vault: folder, worker: true, ingests: true }, function* ({ engine }) {
      const { documents } = yield* ingestFiles(engine, { json: input.json, lines: false })
      const answers = yield* Effect.forEach(
        questions.filter(({ demo }) => demo),
        ({ question }) =>
          Effect.gen(function* () {
            const answer = yield* call((signal) => engine.ask(question, { signal }))
            const text = input.json ? "" : yield* present(engine, question, answer)
            return { question, answer, text }
          })
      )
      const shown = cleanLine(relative(process.cwd(), folder) || ".")
      return {
        output: {
          vault: folder,
          documents: documents.created,
          answers: answers.map(({ answer, question }) => ({ question, answer }))
        },
        text: () =>
          [
            `${paint.green("Made")} ${paint.bold(shown)} with ${documents.created} documents of a maker of tidal turbines.`,
            ...answers.map(({ question, text }) => `${paint.bold(question)}\n\n${text}`),
            `Next: ${paint.cyan(`kanon ask "Which decision superseded ADR-0003?" --vault ${shown}`)}`
          ].join(`\n\n${paint.dim("─".repeat(72))}\n\n`)
      }
    })
  }
})
