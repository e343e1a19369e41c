import type { CacheStats } from "../../core/answers/answer-cache/index.js"
import { operations } from "../../core/operations.js"
import { command, group, noInput, operationCommand } from "./command.js"
import { call, withWorkspace } from "./session.js"
import { factLines } from "./tables.js"
import { counted } from "./text.js"

const stats = operationCommand("stats", operations.getCacheStats, {
  description: "Show what the answer cache holds, its hit rate, and how often it would be wrong.",
  print: (found) => describe(found)
})

const clear = command("clear", {
  description: "Remove every cached answer; the counters stay.",
  input: noInput,
  run: (input) =>
    withWorkspace(input, function* ({ engine }) {
      const done = yield* call(() => engine.cache.clear())
      return {
        output: done,
        text: () =>
          done.cleared === 0
            ? "There was no cached answer."
            : `Removed ${counted(done.cleared, "cached answer")}.`
      }
    })
})

const modes: Readonly<Record<CacheStats["mode"], string>> = {
  off: "off: every question is answered again",
  shadow: "shadow: every question is answered again, and compared with the answer that is there",
  on: "on: the same question on the same evidence is answered again without a model"
}

const describe = (found: CacheStats): string =>
  factLines(
    [
      ["mode", modes[found.mode]],
      [
        "holds",
        `${counted(found.entries, "answer")}, ${(found.bytes / 1000).toFixed(1)} kB${found.stale === 0 ? "" : `, ${found.stale} of them stale`}`
      ],
      [
        "since",
        found.oldestAt === null || found.newestAt === null
          ? ""
          : `${found.oldestAt}, the newest ${found.newestAt}`
      ],
      [
        "lookups",
        found.hitRate === null
          ? "none yet"
          : `${found.lookups}: ${found.hits} answered, ${found.shadowHits} compared, ${found.misses} missed; hit rate ${percent(found.hitRate)}`
      ],
      ["rejected", describeRejections(found)],
      [
        "removed",
        `${found.invalidations.byDocument} with documents, ${found.invalidations.byEntity} with entities, ${found.invalidations.byPolicy} with settings`
      ],
      ["shadow", describeShadow(found)]
    ],
    "  "
  ).join("\n")

const describeRejections = ({ rejections }: CacheStats): string => {
  const rejected = Object.entries(rejections).filter(([, count]) => count > 0)
  return rejected.length === 0
    ? "no similar question had to be distinguished"
    : rejected.map(([guard, count]) => `${count} by ${guard}`).join(", ")
}

/** The cache may be switched on when at most this share of its answers would be wrong. */
const adviceMax = 0.01

const describeShadow = ({ falseHitRate, mode, shadow }: CacheStats): string => {
  if (falseHitRate === null) return "nothing compared yet"
  const said = `${shadow.disagreed} of ${shadow.compared} differed; at most ${percent(shadow.upper95)} would`
  if (mode !== "shadow") return said
  return shadow.upper95 <= adviceMax
    ? `${said}: it may be switched on`
    : `${said}: leave it in shadow until that is ${percent(adviceMax)} or less`
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

export const cacheCommands = group("cache", "The answer cache.", [stats, clear], "stats")
