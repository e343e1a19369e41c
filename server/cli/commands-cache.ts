import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { common } from "./options.js"

const cache = () => import("./cache.js")

const stats = leaf(
  "stats",
  "Show what the answer cache holds, how often it answers, and how often it would be wrong.",
  common,
  (input) => run(cache, (module) => module.stats(input))
)
const clear = leaf("clear", "Forget every cached answer; the counts stay.", common, (input) =>
  run(cache, (module) => module.clear(input))
)

const about = "Answers that may be given again."

export const cacheCommands = family("cache", about, [stats, clear], "stats")
