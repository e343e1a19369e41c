import type { Command } from "./command.js"
import { commonFlags } from "./flags.js"
import { paint, proseColumns } from "./terminal.js"
import { columnsOf, wrap } from "./text.js"

/** The help of a command, or of the whole command line when the path is empty. */
export const helpText = (root: Command, path: ReadonlyArray<string>, version: string): string => {
  const command = path.reduce((at, name) => at.commands.find((one) => one.name === name) ?? at, root)
  const spoken = [root.name, ...path].join(" ")
  const title = path.length === 0 ? `${spoken} ${version}` : spoken
  return [
    `${paint.bold(title)}\n${wrap(command.description, proseColumns())}`,
    `Usage: ${paint.cyan(usage(spoken, command))}`,
    ...(command.commands.length > 0 ? groupHelp(command) : leafHelp(command)),
    list("Always available", [
      ["--help, -h", "Show the help of a command."],
      ["--version", "Show the version."],
      ["--completions SHELL", "Print a completion script for bash, zsh, fish or sh."]
    ])
  ].join("\n\n")
}

const usage = (spoken: string, command: Command): string =>
  command.commands.length > 0
    ? `${spoken} COMMAND`
    : [spoken, ...command.arguments.map((one) => one.usage), "[options]"].join(" ")

const groupHelp = (command: Command): ReadonlyArray<string> => {
  const leaves = command.commands.flatMap((one) =>
    one.commands.length === 0
      ? [entry(one.name, one)]
      : one.commands.map((inner) => entry(`${one.name} ${inner.name}`, inner))
  )
  const first = command.commands.flatMap((one) => (one.commands.length === 0 ? [one] : one.commands))[0]
  return [list("Commands", leaves), ...(first === undefined ? [] : [commonHelp(first)])]
}

const entry = (name: string, command: Command): readonly [string, string] => [
  [name, ...command.arguments.map((one) => one.usage)].join(" "),
  command.description
]

const leafHelp = (command: Command): ReadonlyArray<string> => {
  const own = [...command.options].filter(([name]) => !commonFlags.has(name))
  const pairs = (all: ReadonlyArray<{ readonly usage: string; readonly description: string }>) =>
    all.map(({ description, usage: written }) => [written, description] as const)
  return [
    ...(command.arguments.length === 0 ? [] : [list("Arguments", pairs(command.arguments))]),
    ...(own.length === 0 ? [] : [list("Options", pairs(own.map(([, option]) => option)))]),
    commonHelp(command)
  ]
}

const commonHelp = (command: Command): string =>
  list(
    "Options of every command",
    [...command.options]
      .filter(([name]) => commonFlags.has(name))
      .map(([, { description, usage: written }]) => [written, description] as const)
  )

/** Names at the left, what they mean beside them; a long name has its meaning below. */
const list = (title: string, rows: ReadonlyArray<readonly [string, string]>): string => {
  const nameColumns = 28
  const lines = rows.map(([name, meaning]) => {
    const described = wrap(meaning, proseColumns(), " ".repeat(nameColumns))
    const isLong = columnsOf(name) > nameColumns - 4
    const shown = `  ${paint.cyan(name)}`
    return isLong
      ? `${shown}\n${described}`
      : shown + " ".repeat(nameColumns - 2 - columnsOf(name)) + described.trimStart()
  })
  return [paint.bold(title), ...lines].join("\n")
}
