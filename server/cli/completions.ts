import * as Args from "@effect/cli/Args"
import type { CliApp } from "@effect/cli/CliApp"
import * as CliConfig from "@effect/cli/CliConfig"
import * as EffectCommand from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Command } from "./command.js"
import { print } from "./terminal.js"

/** Prints the completion script of a shell. */
export const printCompletions = (root: Command, shell: string, version: string): Effect.Effect<void> =>
  Effect.flatMap(Effect.console, (console) => {
    const run: (words: ReadonlyArray<string>) => Effect.Effect<void, unknown, CliApp.Environment> =
      EffectCommand.run(describe(root), { name: root.name, version })
    return run(["node", root.name, "--completions", shell]).pipe(
      Effect.withConsole({ ...console, log: (text: unknown) => print(withoutForeignOptions(String(text))) }),
      Effect.provide(
        Layer.merge(NodeContext.layer, CliConfig.layer({ isCaseSensitive: true, showBuiltIns: false }))
      ),
      Effect.orDie
    )
  })

/** The command as the library that writes the scripts describes one. */
const describe = (command: Command): LibraryCommand => {
  const fields = Object.fromEntries<Options.Options<unknown> | Args.Args<unknown>>([
    ...[...command.options].map(
      ([flag, { choices, description, kind }]) =>
        [
          flag,
          Options.withDescription(optionOf(flag.replace(/^--/, ""), kind, choices), description)
        ] as const
    ),
    ...command.arguments.map(
      ({ field, usage }) => [field, Args.optional(Args.text({ name: usage.replace(/[^\w-]/g, "") }))] as const
    )
  ])
  const made = EffectCommand.make(command.name, fields).pipe(
    EffectCommand.withDescription(command.description)
  )
  const [first, ...others] = command.commands.map(describe)
  return first === undefined ? made : EffectCommand.withSubcommands(made, [first, ...others])
}

type LibraryCommand = Parameters<typeof EffectCommand.withSubcommands>[1][number]

const optionOf = (
  name: string,
  kind: "switch" | "value",
  choices: ReadonlyArray<string>
): Options.Options<unknown> =>
  kind === "switch"
    ? Options.boolean(name)
    : Options.optional(choices.length > 0 ? Options.choice(name, choices) : Options.text(name))

/** Removes the library's options for logs and its question-and-answer mode, which Kanon does not have. */
const withoutForeignOptions = (script: string): string =>
  script
    .split("\n")
    .filter((line) => !/^complete .* -l (?:wizard|log-level)\b|^\s*'?--(?:wizard|log-level)\[/.test(line))
    .map((line) => (/^\s*opts="/.test(line) ? line.replace(/ ?--(?:wizard|log-level)\b/g, "") : line))
    .join("\n")
