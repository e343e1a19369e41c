import { readFileSync } from "node:fs"
import type { Command } from "../server/cli/command.js"
import { kanon } from "../server/cli/commands.js"
import { commonFlags } from "../server/cli/flags.js"

const intro = `# Commands and options

Every command with its arguments and options, printed from the command line itself, and the examples of \`tools/cli-examples.md\` (\`npm run generate\`). [The command line](cli.md) explains workspaces, output, exit codes and errors.

Examples of JSON are set in several lines, and lists in them are cut to their first item. An example is the result of the command that the text or the block before it names.`

/** docs/cli-reference.md, from the commands and their examples. */
export const cliPage = (): string => {
  const examples = examplesByCommand()
  const anyLeaf = leavesOf(kanon, kanon.name)[0]
  const common = [...(anyLeaf?.command.options ?? [])].filter(([name]) => commonFlags.has(name))
  const page = [
    intro,
    "## Options of every command",
    table(
      ["Option", "Meaning"],
      common.map(([, { description, usage }]) => [usage, description])
    ),
    ...kanon.commands.flatMap((command) => topSection(command, examples))
  ]
  if (examples.size > 0)
    throw new RangeError(`No command is called ${[...examples.keys()].join(" or ")} (tools/cli-examples.md).`)
  return `${page.join("\n\n")}\n`
}

/** Examples that are not yet on the page, by the name of their command or group. */
type Examples = Map<string, string>

/** Reads the examples; a heading that names two commands belongs to the first. */
const examplesByCommand = (): Examples =>
  new Map(
    readFileSync(new URL("cli-examples.md", import.meta.url), "utf8")
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const end = section.indexOf("\n")
        const [name = ""] = section.slice(0, end).split(",")
        return [name, section.slice(end).trim()]
      })
  )

const examplesOf = (examples: Examples, path: string): ReadonlyArray<string> => {
  const found = examples.get(path)
  examples.delete(path)
  return found === undefined ? [] : [found]
}

interface Leaf {
  readonly path: string
  readonly command: Command
}

const leavesOf = (command: Command, path: string): ReadonlyArray<Leaf> =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name}`))

/** A command, or a group with its examples before its commands. */
const topSection = (command: Command, examples: Examples): ReadonlyArray<string> => {
  const path = `${kanon.name} ${command.name}`
  if (command.commands.length === 0)
    return [`## ${path}`, ...usageOf({ path, command }), ...examplesOf(examples, path)]
  return [
    `## ${path}`,
    command.description,
    ...examplesOf(examples, path),
    ...leavesOf(command, path).flatMap((leaf) => [
      `### ${leaf.path}`,
      ...usageOf(leaf),
      ...examplesOf(examples, leaf.path)
    ])
  ]
}

const usageOf = ({ command, path }: Leaf): ReadonlyArray<string> => {
  const own = [...command.options].filter(([name]) => !commonFlags.has(name)).map(([, option]) => option)
  const usage = [
    path,
    ...command.arguments.map((one) => one.usage),
    ...(own.length === 0 ? [] : ["[options]"])
  ]
  const tableOf = (
    title: string,
    rows: ReadonlyArray<{ readonly usage: string; readonly description: string }>
  ) =>
    rows.length === 0
      ? []
      : [
          table(
            [title, "Meaning"],
            rows.map((one) => [one.usage, one.description])
          )
        ]
  return [
    command.description,
    `\`\`\`text\n${usage.join(" ")}\n\`\`\``,
    ...tableOf("Argument", command.arguments),
    ...tableOf("Option", own)
  ]
}

const table = (titles: readonly [string, string], rows: ReadonlyArray<readonly [string, string]>): string =>
  [
    `| ${titles.join(" | ")} |`,
    "|---|---|",
    ...rows.map(([name, meaning]) => `| \`${escaped(name)}\` | ${escaped(meaning)} |`)
  ].join("\n")

const escaped = (text: string): string => text.replaceAll("|", "\\|")
