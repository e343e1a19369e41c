import { family, leaf } from "./grammar.js"
import { run } from "./leaves.js"
import { argument, common, optionalArgument } from "./options.js"

const settings = () => import("./settings.js")

const settingsGet = leaf(
  "get",
  "Show the settings of the workspace, or one of them.",
  { ...common, setting: optionalArgument("name", "A setting or a group of them, such as policy.mode.") },
  (input) => run(settings, (module) => module.get(input))
)
const settingsSet = leaf(
  "set",
  "Change a setting of the workspace.",
  {
    ...common,
    setting: argument("name", "The setting, such as policy.mode or models.chat."),
    value: argument(
      "value",
      "A word, a number, true, false, null, or JSON for a group; - reads it from the standard input."
    )
  },
  (input) => run(settings, (module) => module.set(input))
)
const secretsRotate = leaf(
  "rotate",
  "Seal every credential anew, with a fresh master key where it lies in the data folder.",
  common,
  (input) => run(settings, (module) => module.rotate(input))
)

const about = {
  settingsCommands: "What the workspace has set: policy, models, budgets, retention.",
  secretsCommands: "The master key with which credentials are sealed."
}

export const settingsCommands = family("settings", about.settingsCommands, [settingsGet, settingsSet])
export const secretsCommands = family("secrets", about.secretsCommands, [secretsRotate])
