import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { z } from "zod"
import { createEngine } from "../../adapters/sqlite/index.js"
import {
  type ClaimSetScore,
  type ClaimVerdict,
  claimSet,
  claimVerdicts,
  measureClaimCheck,
  type SetClaim
} from "../../core/answers/measures/index.js"
import { command } from "./command.js"
import { failed, wrongUsage } from "./failure.js"
import { textFlag } from "./flags.js"
import { answer } from "./terminal.js"
import { cleanLine } from "./text.js"

export const benchClaimsCommand = command("bench-claims", {
  description:
    "Measure a check of claims on the frozen set of kanon/evaluation: how many false claims pass, how many true ones.",
  input: z.object({
    endpoint: textFlag(
      "Address that is sent each claim with its document by POST; without it the check of this version of Kanon.",
      "URL"
    ),
    token: textFlag("Bearer token for the endpoint; otherwise KANON_BENCH_TOKEN.", "TOKEN")
  }),
  run: function* ({ endpoint, json, token }) {
    if (endpoint !== undefined && !/^https?:\/\//u.test(endpoint))
      return yield* wrongUsage("--endpoint takes an address that begins with http:// or https://.")
    const score = yield* Effect.tryPromise({
      try: () =>
        endpoint === undefined
          ? withOwnCheck(measureClaimCheck)
          : measureClaimCheck(checkAt(endpoint, token ?? process.env["KANON_BENCH_TOKEN"])),
      catch: (error) =>
        failed("bench_failed", error instanceof Error ? cleanLine(error.message) : "The bench broke off.")
    })
    yield* answer(json, score, () => tableOf(score))
  }
})

type Check = (claim: SetClaim) => Promise<ClaimVerdict>

/** Checks against a workspace of one document at a time: a claim rests on its own handbook and on nothing else. */
const withOwnCheck = async <A>(use: (check: Check) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-bench-claims-"))
  const vault = join(folder, "vault")
  const titles = [...new Set(claimSet().map(({ document }) => document.title))]
  const pathOf = (title: string) => `handbook-${titles.indexOf(title) + 1}.md`
  mkdirSync(vault)
  for (const { document } of claimSet())
    writeFileSync(join(vault, pathOf(document.title)), `# ${document.title}\n\n${document.text}\n`)
  try {
    const engine = await createEngine({ vault, data: join(folder, "data"), worker: false, models: {} })
    try {
      await engine.ingest()
      const { items } = await engine.documents.list({ limit: 100 })
      const ids = new Map(items.map(({ id, path }) => [path, id]))
      return await use(async ({ document, text }) => {
        const id = ids.get(pathOf(document.title))
        const { claims } = await engine.grounding.check(text, {
          judge: false,
          ...(id === undefined ? {} : { docIds: [id] })
        })
        return worstOf(claims.map(({ status }) => status))
      })
    } finally {
      await engine.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A claim that is read as several statements is as good as its worst one. */
const worstOf = (verdicts: ReadonlyArray<ClaimVerdict>): ClaimVerdict =>
  claimVerdicts[Math.max(...verdicts.map((verdict) => claimVerdicts.indexOf(verdict)))] ?? "unsupported"

/** What an endpoint replies: one of the four verdicts, or only whether the claim is supported. */
const Reply = z.union([
  z.object({ status: z.enum(["supported", "partly", "unsupported", "contradicted"]) }),
  z.object({ supported: z.boolean() }).transform(({ supported }) => ({
    status: supported ? ("supported" as const) : ("unsupported" as const)
  }))
])

const replyMs = 60_000
const replyCharsMax = 1_000_000

const checkAt =
  (endpoint: string, token: string | undefined): Check =>
  async ({ document, id, text }) => {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      body: JSON.stringify({ claim: text, documents: [document] }),
      signal: AbortSignal.timeout(replyMs)
    }).catch((error: unknown) => {
      // The error of fetch itself only says that it failed.
      const { code } = Object(Object(error).cause)
      throw new Error(`The endpoint cannot be reached (${code ?? Object(error).name}).`)
    })
    if (!response.ok) throw new Error(`The endpoint answered ${response.status} to claim ${id}.`)
    const reply = await response.text()
    const read = Reply.safeParse(reply.length > replyCharsMax ? null : jsonOf(reply))
    if (!read.success)
      throw new Error(`The endpoint's reply to claim ${id} has neither status nor supported.`)
    return read.data.status
  }

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const percent = (share: number): string => `${Math.round(100 * share)} %`

const tableOf = ({ falseSupported, kinds, set, trueRefused, trueSupported }: ClaimSetScore): string => {
  const rows = kinds.map(({ claims, isTrue, kind, language, verdicts }) => [
    isTrue ? "true" : "false",
    language,
    kind,
    ...claimVerdicts.map((verdict) => String(verdicts[verdict])),
    String(claims)
  ])
  const head = ["claim", "lang", "kind", ...claimVerdicts, "of"]
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, at) => (at < 3 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ")
  return [
    `Set ${set}: ${percent(falseSupported)} of the false claims are supported, ${percent(trueSupported)} of the true ones; ${percent(trueRefused)} of the true ones are unsupported or contradicted.`,
    "",
    line(head),
    ...rows.map(line)
  ].join("\n")
}
