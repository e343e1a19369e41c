import { levensteinDistance } from "@effect/cli/AutoCorrect"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Either from "effect/Either"
import { type Failure, wrongUsage } from "./failure.js"
import type { Shape } from "./grammar.js"

const shells = ["bash", "zsh", "fish", "sh"]

/** What a command line asks for. */
export type Asked =
  | { readonly kind: "run" | "completions"; readonly words: ReadonlyArray<string> }
  | { readonly kind: "help"; readonly path: ReadonlyArray<string> }
  | { readonly kind: "version" }

/**
 * Puts a command line into the one order that the parser takes for certain: command, options, `--`, arguments.
 * People may write options before, between and after arguments and commands, and `--name=value`; what follows
 * `--` is never an option, nor is a word that starts with a dash and could not be one (it holds a blank, or a
 * digit comes first). Unknown options and commands, doubled options, missing values and surplus arguments fail
 * here, with words that name them.
 */
export const arrange = (root: Shape, words: ReadonlyArray<string>): Either.Either<Asked, Failure> =>
  Either.gen(function* () {
    const { builtIn, named, options, rest } = yield* sort(root, words)
    const last = named.at(-1) ?? root
    const command =
      builtIn === undefined ? (last.commands.find(({ name }) => name === last.usual) ?? last) : last
    const path = [...named, ...(command === last ? [] : [command])].map(({ name }) => name)
    if (builtIn?.name === "--help") return { kind: "help", path }
    if (builtIn?.name === "--version") return { kind: "version" }
    if (builtIn !== undefined) return { kind: "completions", words: ["--completions", builtIn.value] }
    if (command === root && options.length === 0) return { kind: "help", path }
    yield* check(["kanon", ...path].join(" "), command, options, rest)
    const names = options.map(({ name }) => name)
    const once = options.filter(
      ({ name }, index) => command.options.get(name)?.repeats === true || names.indexOf(name) === index
    )
    const given = once.flatMap(({ name, value }) => (value === undefined ? [name] : [name, value]))
    return { kind: "run", words: [...path, ...given, "--", ...rest] }
  })

/** What is wrong with the words for this command, if anything is. */
const check = (
  spoken: string,
  command: Shape,
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
  if (rest.length > command.argumentsMax) return Either.left(surplus(spoken, command, rest))
  for (const [place, { choices, usage }] of command.arguments.entries()) {
    const word = rest[place]
    if (word !== undefined && choices.length > 0 && !choices.includes(word))
      return Either.left(wrongUsage(`${usage} is ${listed(choices)}, not '${word}'.`))
  }
  return Either.void
}

/** Whether errors are to be told in JSON, which must be known even where the command line is no good. */
export const asksForJson = (words: ReadonlyArray<string>): boolean => {
  const end = words.indexOf("--")
  return words
    .slice(0, end === -1 ? undefined : end)
    .some((word) => word === "--json" || word === "--json=true")
}

interface Sorted {
  readonly named: Array<Shape>
  readonly options: Array<{ readonly name: string; readonly value: string | undefined }>
  readonly rest: Array<string>
  builtIn: { readonly name: string; readonly value: string } | undefined
}

const sort = (root: Shape, words: ReadonlyArray<string>): Either.Either<Sorted, Failure> =>
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
      const kind = kinds.get(name) ?? builtIns.get(name)
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

const builtIns: ReadonlyMap<string, "switch" | "value"> = new Map([
  ["--help", "switch"],
  ["-h", "switch"],
  ["--version", "switch"],
  ["--completions", "value"]
])

const note = (sorted: Sorted, name: string, value: string | undefined): void => {
  if (!builtIns.has(name)) sorted.options.push({ name, value })
  else if (sorted.builtIn === undefined) {
    sorted.builtIn = { name: name === "-h" ? "--help" : name, value: value ?? "" }
  }
}

/** A word that is no option: the next command as long as there are commands to name, else an argument. */
const place = (root: Shape, sorted: Sorted, word: string): Either.Either<void, Failure> => {
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
  // An argument of the usual command, where that takes one.
  const usual = commands.find(({ name }) => name === (sorted.named.at(-1) ?? root).usual)
  if (usual !== undefined && usual.argumentsMax > 0) {
    sorted.named.push(usual)
    sorted.rest.push(word)
    return Either.void
  }
  const names = commands.map(({ name }) => name)
  const where = ["kanon", ...sorted.named.map(({ name }) => name)].join(" ")
  const hint = nearest(word, names)
  return Either.left(
    wrongUsage(
      `${where} has no command '${word}'. ${hint === undefined ? `There are ${listed(names)}.` : `Did you mean '${hint}'?`}`
    )
  )
}

/** Every option of the command and those below it; one name is of one kind everywhere. */
const optionsOf = (shape: Shape): ReadonlyMap<string, "switch" | "value"> =>
  new Map([
    ...[...shape.options].map(([name, { kind }]): [string, "switch" | "value"] => [name, kind]),
    ...shape.commands.flatMap((command) => [...optionsOf(command)])
  ])

const unknownOption = (command: string, name: string, known: ReadonlyArray<string>): Failure => {
  const hint = nearest(name, known)
  return wrongUsage(
    `${command} has no option ${name}. ${
      hint === undefined ? `Put -- before an argument that starts with a dash.` : `Did you mean ${hint}?`
    }`
  )
}

const surplus = (spoken: string, command: Shape, rest: ReadonlyArray<string>): Failure =>
  wrongUsage(
    command.argumentsMax === 0
      ? `${spoken} takes no argument, but was given '${rest[0] ?? ""}'.`
      : `${spoken} takes ${command.argumentsMax === 1 ? "one argument" : `${command.argumentsMax} arguments`}, ` +
          `but was given ${rest.length}. Put an argument of several words in quotes.`
  )

const nearest = (word: string, names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => ({ name, distance: levensteinDistance(word, name, CliConfig.defaultConfig) }))
    .filter(({ distance, name }) => distance <= Math.floor(name.length / 3))
    .sort((a, b) => a.distance - b.distance)[0]?.name

const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1) ?? ""}`
