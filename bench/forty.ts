import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { createEngine } from "../adapters/sqlite/index.js"
import type { StructuredAnswer } from "../core/answers/answering/index.js"
import { readCorpus } from "./data.js"
import type { RunBench } from "./result.js"
import { withFolder } from "./workspace.js"

const Vault = z.enum(["demo", "eips"])

const FortyQuestion = z.object({
  vault: Vault,
  kind: z.string(),
  question: z.string(),
  /** Any of these is right. */
  verdicts: z.array(z.string()),
  /** Groups of alternatives: an answer, or the sides of its conflicts, must contain one of each group. */
  says: z.array(z.array(z.string())),
  /** One of these caveats must be there. */
  caveats: z.array(z.string()).optional()
})
type FortyQuestion = z.infer<typeof FortyQuestion>

const Forty = z.object({
  /** Documents whose authors say that they are out of use: somebody has told the workspace so. */
  deprecated: z.record(Vault, z.array(z.string())),
  questions: z.array(FortyQuestion)
})

/** Asks forty questions of eight kinds, written before anything was asked, with the gate enforcing. */
export const forty: RunBench = async ({ report, say, size, skip }) => {
  const corpus = readCorpus("eips")
  if (corpus === null) return skip("The folder eips is not there: see docs/benchmarks.md.")
  const text = readFileSync(new URL("forty-questions.json", import.meta.url), "utf8")
  const { deprecated, questions } = Forty.parse(JSON.parse(text))
  const right = new Map<string, boolean>()
  for (const vault of Vault.options) {
    const asked = questions.filter((one) => one.vault === vault).slice(0, size === "small" ? 2 : undefined)
    await withFolder(async (folder) => {
      if (vault === "demo")
        cpSync(fileURLToPath(new URL("../demo/vault", import.meta.url)), folder, { recursive: true })
      else
        for (const { id, text: content } of corpus) {
          mkdirSync(dirname(join(folder, id)), { recursive: true })
          writeFileSync(join(folder, id), content)
        }
      const engine = await createEngine({ vault: folder })
      try {
        await engine.ingest()
        for (const path of deprecated[vault])
          await engine.documents.verify((await engine.documents.getByPath(path)).id, "deprecated")
        for (const one of asked) {
          const answer = await engine.ask(one.question, { policyMode: "enforce" })
          const isRight = judge(one, answer)
          right.set(one.question, isRight)
          const { caveats, confidence, reasons, verdict } = answer.policy
          const codes = [...reasons, ...caveats.map(({ code }) => code)].join(", ")
          say(
            `| ${one.kind} | ${vault} | ${one.question} | ${verdict} | ${confidence.toFixed(2)} | ${codes} | ${isRight ? "right" : "wrong"} |`
          )
          if (!isRight) say(`       ${answer.answer.slice(0, 300)}`)
        }
      } finally {
        await engine.close()
      }
    })
  }
  for (const kind of [...new Set(questions.map((one) => one.kind)), "all"]) {
    const of = questions.filter((one) => (kind === "all" || one.kind === kind) && right.has(one.question))
    const ours = of.filter(({ question }) => right.get(question) === true).length
    const ratio = of.length === 0 ? null : ours / of.length
    report({
      metric: kind,
      ours,
      floor: of.length,
      ratio,
      n: of.length,
      unit: "questions",
      peer: "all asked"
    })
  }
}

const judge = ({ caveats, says, verdicts }: FortyQuestion, { claims, policy }: StructuredAnswer): boolean => {
  const said = [
    ...claims.map(({ text }) => text),
    ...policy.conflicts.flatMap(({ sides }) => sides.flatMap(({ quote, value }) => [quote, value]))
  ].map(plain)
  return (
    verdicts.includes(policy.verdict) &&
    says.every((group) => group.some((one) => said.some((text) => text.includes(plain(one))))) &&
    (caveats === undefined || policy.caveats.some(({ code }) => caveats.includes(code)))
  )
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ")
