import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { common, text } from "./options.js"

const evaluation = () => import("./eval.js")

const calibrate = leaf(
  "calibrate",
  "Fit what a confidence is worth from questions whose answers are known, and use that from now on.",
  {
    ...common,
    questions: text(
      "questions",
      "FILE",
      "JSON lines {question, answers, answerable}; - reads them from the standard input."
    ),
    alpha: text(
      "alpha",
      "SHARE",
      "Share of answers without reservation that may be wrong; the workspace's, else 0.1."
    ),
    delta: text("delta", "SHARE", "Chance that more of them are; the workspace's, else 0.1."),
    seed: text("seed", "TEXT", "Decides which question is fitted on and which certifies; 1 by default."),
    diagram: text("diagram", "FILE", "Writes the reliability diagram as SVG, too.")
  },
  (input) => run(evaluation, (module) => module.calibrate(input))
)

const about = "Measuring answers."

export const evalCommands = family("eval", about, [calibrate], "calibrate")
