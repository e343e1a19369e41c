import * as Either from "effect/Either"
import { nearestName } from "../../core/platform/kernel/index.js"
import type { Command, Words } from "./command.js"
import { type Failure, wrongUsage } from "./failure.js"
import { listed } from "./flags.js"

const shells = ["bash", "zsh", "fish", "sh"]

/** A parsed command line. */
export type Asked =
  | { readonly kind: "run"; readonly command: Command; readonly words: Words }
  | { readonly kind: "completions"; readonly shell: string }
  | { readonly kind: "help"; readonly path: ReadonlyArray<string> }
  | { readonly kind: "version" }

/**
 * Parses a command line. Options may stand before, between and after arguments and commands, also as `--name=value`.
 * Words behind `--` are never options, nor are words with a dash that cannot be one (they hold a blank, or begin with a
 * digit). Unknown options and commands, repeated options, missing values and arguments, and surplus
 * arguments fail with a message that names them.
 */
export const parseArguments = (root: Command, words: ReadonlyArray<string>): Either.Either<Asked, Failure> =>
  Either.gen(function* () {
    const { builtIn, named, options, rest } = yield* sort(root, words)
    const last = named.at(-1) ?? root
    const command =
      builtIn === undefined ? (last.commands.find(({ name }) => name === last.defaultCommand) ?? last) : last
    const path = [...named, ...(command === last ? [] : [command])].map(({ name }) => name)
    if (builtIn?.name === "--help") return { kind: "help", path }
    if (builtIn?.name === "--version") return { kind: "version" }
    if (builtIn !== undefined) return { kind: "completions", shell: builtIn.value }
    if (command === root && options.length === 0) return { kind: "help", path }
    yield* validate(["kanon", ...path].join(" "), command, options, rest)
    const flags = new Map<string, Array<string>>()
    for (const { name, value = "true" } of options) flags.set(name, [...(flags.get(name) ?? []), value])
    return { kind: "run", command, words: { flags, arguments: rest } }
  })

/** Fails with what is wrong with the words for this command, if anything is. */
const validate = (
  spoken: string,
  command: Command,
  options: Sorted["options"],
  rest: ReadonlyArray<string>
): Either.Either<void, Failure> => {
  if (command.commands.length > 0) {
    const names = listed(command.commands.map(({ name }) => name))
    return Either.left(wrongUsage(`${spoken} needs a command: ${names}.`))
  }
  const seen = new Set<string>()
  for (const { name, value } of options) {
    const option = command.options.get(name)
    if (option === undefined) return Either.left(wrongUsage(`${spoken} has no option ${name}.`))
    if (value !== undefined && seen.has(name) && !option.repeats)
      return Either.left(wrongUsage(`${name} is given twice.`))
    if (value !== undefined && option.choices.length > 0 && !option.choices.includes(value)) {
      return Either.left(wrongUsage(`${name} takes ${listed(option.choices)}, not '${value}'.`))
    }
    seen.add(name)
  }
  const repeats = command.arguments.at(-1)?.repeats === true
  if (!repeats && rest.length > command.arguments.length) return Either.left(surplus(spoken, command, rest))
  for (const [index, { choices, isRequired, usage }] of command.arguments.entries()) {
    const word = rest[index]
    if (word === undefined && isRequired) return Either.left(wrongUsage(`Missing argument ${usage}`))
    if (word !== undefined && choices.length > 0 && !choices.includes(word))
      return Either.left(wrongUsage(`${usage} is ${listed(choices)}, not '${word}'.`))
  }
  return Either.void
}

/** Whether errors are printed as JSON. It must be known even when the command line is wrong. */
export const asksForJson = (words: ReadonlyArray<string>): boolean => {
  const end = words.indexOf("--")
  return words
    .slice(0, end === -1 ? undefined : end)
    .some((word) => word === "--json" || word === "--json=true")
}

interface Sorted {
  readonly named: Array<Command>
  readonly options: Array<{ readonly name: string; readonly value: string | undefined }>
  readonly rest: Array<string>
  builtIn: { readonly name: string; readonly value: string } | undefined
}

const sort = (root: Command, words: ReadonlyArray<string>): Either.Either<Sorted, Failure> =>
  Either.gen(function* () {
    const kinds = optionsOf(root)
    const sorted: Sorted = { named: [], options: [], rest: [], builtIn: undefined }
    const spoken = () => ["kanon", ...sorted.named.map(({ name }) => name)].join(" ")
    for (let at = 0; at < words.length; at++) {
      const word = words[at] ?? ""
      if (word === "--") {
        sorted.rest.push(...words.slice(at + 1))
        break
      }
      const option = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word)
      if (option === null) {
        yield* place(root, sorted, word)
        continue
      }
      const [, name = "", attached] = option
      const kind = kindOf(sorted, name) ?? builtIns.get(name) ?? kinds.get(name)
      if (kind === undefined) {
        const known = (sorted.named.at(-1) ?? root).options
        return yield* Either.left(unknownOption(spoken(), name, [...known.keys(), ...builtIns.keys()]))
      }
      if (kind === "switch") {
        if (attached !== undefined && attached !== "true" && attached !== "false") {
          return yield* Either.left(wrongUsage(`${name} takes no value.`))
        }
        if (attached !== "false") note(sorted, name, undefined)
        continue
      }
      const next = words[at + 1]
      const isOption = next === "--" || (next !== undefined && (kinds.has(next) || builtIns.has(next)))
      const value = attached ?? (isOption ? undefined : next)
      if (value === undefined) return yield* Either.left(wrongUsage(`${name} needs a value.`))
      if (attached === undefined) at++
      if (name === "--completions" && !shells.includes(value)) {
        return yield* Either.left(wrongUsage(`--completions takes one of ${listed(shells)}, not '${value}'.`))
      }
      note(sorted, name, value)
    }
    return sorted
  })

/** The kind of an option of the command named so far; commands may give one name to a switch and to a value. */
const kindOf = ({ named }: Sorted, name: string): "switch" | "value" | undefined => {
  const command = named.at(-1)
  const byDefault = command?.commands.find((one) => one.name === command.defaultCommand)
  return (command?.options.get(name) ?? byDefault?.options.get(name))?.kind
}

const builtIns: ReadonlyMap<string, "switch" | "value"> = new Map([
  ["--help", "switch"],
  ["-h", "switch"],
  ["--version", "switch"],
  ["--completions", "value"]
])

const note = (sorted: Sorted, name: string, value: string | undefined): void => {
  if (!builtIns.has(name) || kindOf(sorted, name) !== undefined) sorted.options.push({ name, value })
  else if (sorted.builtIn === undefined) {
    sorted.builtIn = { name: name === "-h" ? "--help" : name, value: value ?? "" }
  }
}

/** A word that is no option: the next command as long as there are commands to name, else an argument. */
const place = (root: Command, sorted: Sorted, word: string): Either.Either<void, Failure> => {
  const commands = (sorted.named.at(-1) ?? root).commands
  if (commands.length === 0) {
    sorted.rest.push(word)
    return Either.void
  }
  const found = commands.find(({ name }) => name === word)
  if (found !== undefined) {
    sorted.named.push(found)
    return Either.void
  }
  // An argument of the default command, where that takes one.
  const byDefault = commands.find(({ name }) => name === (sorted.named.at(-1) ?? root).defaultCommand)
  if (byDefault !== undefined && byDefault.arguments.length > 0) {
    sorted.named.push(byDefault)
    sorted.rest.push(word)
    return Either.void
  }
  const names = commands.map(({ name }) => name)
  const where = ["kanon", ...sorted.named.map(({ name }) => name)].join(" ")
  const hint = nearestName(word, names)
  return Either.left(
    wrongUsage(
      `${where} has no command '${word}'. ${hint === undefined ? `There are ${listed(names)}.` : `Did you mean '${hint}'?`}`
    )
  )
}

/** Every option of the command and those below it, by name. */
const optionsOf = (command: Command): ReadonlyMap<string, "switch" | "value"> =>
  new Map([
    ...[...command.options].map(([name, { kind }]): [string, "switch" | "value"] => [name, kind]),
    ...command.commands.flatMap((one) => [...optionsOf(one)])
  ])

const unknownOption = (command: string, name: string, known: ReadonlyArray<string>): Failure => {
  const hint = nearestName(name, known)
  return wrongUsage(
    `${command} has no option ${name}. ${
      hint === undefined ? `Put -- before an argument that starts with a dash.` : `Did you mean ${hint}?`
    }`
  )
}

const surplus = (spoken: string, command: Command, rest: ReadonlyArray<string>): Failure =>
  wrongUsage(
    command.arguments.length === 0
      ? `${spoken} takes no argument, but was given '${rest[0] ?? ""}'.`
      : `${spoken} takes ${command.arguments.length === 1 ? "one argument" : `${command.arguments.length} arguments`}, ` +
          `but was given ${rest.length}. Put an argument of several words in quotes.`
  )
