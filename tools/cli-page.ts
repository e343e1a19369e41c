import type { Command } from "../server/cli/command.js"
import { kanon } from "../server/cli/commands.js"
import { commonFlags } from "../server/cli/flags.js"

const intro = `# Commands and options

Every command with its arguments and options, printed from the command line itself (\`npm run generate\`). [The command line](cli.md) explains workspaces, output, exit codes and errors, and shows commands at work.`

interface Leaf {
  readonly path: string
  readonly command: Command
}

/** docs/cli-reference.md, from the commands. */
export const cliPage = (): string => {
  const leaves = leavesOf(kanon, kanon.name)
  const common = [...(leaves[0]?.command.options ?? [])].filter(([name]) => commonFlags.has(name))
  return `${[
    intro,
    "## Options of every command",
    table(
      ["Option", "Meaning"],
      common.map(([, { description, usage }]) => [usage, description])
    ),
    ...leaves.flatMap(section)
  ].join("\n\n")}\n`
}

const leavesOf = (command: Command, path: string): ReadonlyArray<Leaf> =>
  command.commands.length === 0
    ? [{ path, command }]
    : command.commands.flatMap((one) => leavesOf(one, `${path} ${one.name}`))

const section = ({ command, path }: Leaf): ReadonlyArray<string> => {
  const own = [...command.options].filter(([name]) => !commonFlags.has(name)).map(([, option]) => option)
  const usage = [
    path,
    ...command.arguments.map((one) => one.usage),
    ...(own.length === 0 ? [] : ["[options]"])
  ]
  return [
    `## ${path}`,
    command.description,
    `\`\`\`text\n${usage.join(" ")}\n\`\`\``,
    ...(command.arguments.length === 0
      ? []
      : [
          table(
            ["Argument", "Meaning"],
            command.arguments.map((one) => [one.usage, one.description])
          )
        ]),
    ...(own.length === 0
      ? []
      : [
          table(
            ["Option", "Meaning"],
            own.map((one) => [one.usage, one.description])
          )
        ])
  ]
}

const table = (titles: readonly [string, string], rows: ReadonlyArray<readonly [string, string]>): string =>
  [
    `| ${titles.join(" | ")} |`,
    "|---|---|",
    ...rows.map(([name, meaning]) => `| \`${escaped(name)}\` | ${escaped(meaning)} |`)
  ].join("\n")

const escaped = (text: string): string => text.replaceAll("|", "\\|")
