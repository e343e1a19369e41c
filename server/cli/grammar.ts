import { stripVTControlCharacters } from "node:util"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Types from "effect/Types"
import type { Failure } from "./failure.js"
import { once } from "./once.js"

/** What a command takes, as far as telling its words apart and explaining them needs it. */
export interface Shape {
  readonly name: string
  readonly description: string
  /** By name, with the dashes. */
  readonly options: ReadonlyMap<string, OptionShape>
  readonly arguments: ReadonlyArray<ArgumentShape>
  readonly argumentsMax: number
  readonly commands: ReadonlyArray<Shape>
  /** Of a group: the command that is meant where none is named. */
  readonly usual?: string
}

export interface OptionShape extends Explained {
  /** A switch takes no value. */
  readonly kind: "switch" | "value"
  /** The values there are; empty when any will do. */
  readonly choices: ReadonlyArray<string>
  /** It may be given more than once. */
  readonly repeats: boolean
}

export interface ArgumentShape extends Explained {
  /** The words there are; empty when any will do. */
  readonly choices: ReadonlyArray<string>
}

interface Explained {
  /** As it is written, such as `--limit N`. */
  readonly usage: string
  readonly description: string
}

type Fields = Readonly<Record<string, Args.Args<unknown> | Options.Options<unknown>>>

/** A command that does something: the parser's, and its shape, which is read off the very same values. */
export const leaf = <const Name extends string, const Given extends Fields>(
  name: Name,
  description: string,
  fields: Given,
  work: (input: Types.Simplify<Command.Command.ParseConfig<Given>>) => Effect.Effect<void, Failure>
) => ({
  command: Command.make(name, fields, work).pipe(Command.withDescription(description)),
  shape: shapeOf(name, description, Object.values(fields))
})

/** What the parser takes as one of several commands. */
type Subcommand = Parameters<typeof Command.withSubcommands>[1][number]

interface Member {
  readonly command: Subcommand
  readonly shape: Shape
}

/** A command that only holds others; `usual` is the one that is meant where none is named. */
export const family = <
  const Name extends string,
  const Members extends readonly [Member, ...ReadonlyArray<Member>]
>(
  name: Name,
  description: string,
  members: Members,
  usual?: string
) => {
  const [first, ...others]: readonly [Members[number], ...ReadonlyArray<Members[number]>] = members
  const commands: readonly [Members[number]["command"], ...ReadonlyArray<Members[number]["command"]>] = [
    first.command,
    ...others.map(({ command }) => command)
  ]
  const shape: Shape = {
    name,
    description,
    options: new Map(),
    arguments: [],
    argumentsMax: 0,
    commands: members.map((one) => one.shape),
    ...(usual === undefined ? {} : { usual })
  }
  return {
    command: Command.make(name).pipe(Command.withDescription(description), Command.withSubcommands(commands)),
    shape
  }
}

const shapeOf = (name: string, description: string, fields: ReadonlyArray<Fields[string]>): Shape => {
  const taken = fields.filter(Args.isArgs)
  return {
    name,
    description,
    options: new Map(
      fields
        .filter(Options.isOptions)
        .flatMap((option) =>
          Option.toArray(Options.getIdentifier(option)).map((identifier): readonly [string, OptionShape] => [
            identifier,
            optionShape(option)
          ])
        )
    ),
    arguments: taken.map((one) => argumentShape(one)),
    argumentsMax: taken.map(Args.getMaxSize).reduce((sum, one) => sum + one, 0),
    commands: []
  }
}

const optionShape = (option: Options.Options<unknown>): OptionShape => {
  const explained = once(() => explain(Options.getHelp(option)))
  return {
    kind: Options.isBool(option) ? "switch" : "value",
    get usage() {
      return explained().usage
    },
    get description() {
      return explained().description
    },
    get choices() {
      const { usage } = explained()
      return usage.includes(" | ") ? usage.split(" ").filter(isChoice) : []
    },
    get repeats() {
      return explained().usage.endsWith("...")
    }
  }
}

const argumentShape = (argument: Args.Args<unknown>): ArgumentShape => {
  const explained = once(() => explain(Args.getHelp(argument)))
  return {
    get usage() {
      const { usage } = explained()
      return Args.getMinSize(argument) === 0 ? `[${usage}]` : usage
    },
    get description() {
      return explained().description
    },
    get choices() {
      return explained().choices
    }
  }
}

const isChoice = (word: string): boolean => word !== "|" && !word.startsWith("--")

/** What the parser says of every option of a kind; only what was written for this one is of interest. */
const commonplaces =
  /^(?:A user-defined piece of text\.|A true or false value\.|One of the following: .*|This (?:setting|option|argument) (?:is optional|may be repeated).*)$/

const explain = (help: HelpDoc.HelpDoc): ArgumentShape => {
  const lines = stripVTControlCharacters(HelpDoc.toAnsiText(help))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  const [usage = "", ...rest] = lines
  const choices = rest.flatMap((line) => /^One of the following: (.*)$/.exec(line)?.[1]?.split(", ") ?? [])
  return { usage, description: rest.filter((line) => !commonplaces.test(line)).join(" "), choices }
}
