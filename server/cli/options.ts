import * as Args from "@effect/cli/Args"
import * as Options from "@effect/cli/Options"
import * as Option from "effect/Option"

/** What every command takes. */
export interface CommonInput {
  readonly data: string | undefined
  readonly vault: string | undefined
  readonly workspace: string | undefined
  readonly database: string | undefined
  readonly json: boolean
}

/** An optional text. */
export const text = (
  name: string,
  pseudoName: string,
  description: string
): Options.Options<string | undefined> =>
  Options.text(name).pipe(
    Options.withPseudoName(pseudoName),
    Options.withDescription(description),
    Options.optional,
    Options.map(Option.getOrUndefined)
  )

/** The name of a place. An empty one is nobody's wish: a variable of a script was not set. */
export const place = (
  name: string,
  pseudoName: string,
  description: string
): Options.Options<string | undefined> =>
  Options.text(name).pipe(
    Options.filterMap(
      (given) => (given === "" ? Option.none() : Option.some(given)),
      `--${name} takes a ${pseudoName}, and was given ''.`
    ),
    Options.withPseudoName(pseudoName),
    Options.withDescription(description),
    Options.optional,
    Options.map(Option.getOrUndefined)
  )

/** A whole number within bounds; outside of them the command line is wrong. */
export const number = (
  name: string,
  description: string,
  bounds: { readonly from: number; readonly to: number; readonly usual: number }
): Options.Options<number> => {
  const range =
    bounds.to === Number.MAX_SAFE_INTEGER ? `${bounds.from} or more` : `${bounds.from} to ${bounds.to}`
  return Options.text(name).pipe(
    Options.withPseudoName("N"),
    Options.filterMap((given) => {
      const value = /^[+-]?\d+$/.test(given) ? Number(given) : Number.NaN
      return value >= bounds.from && value <= bounds.to ? Option.some(value) : Option.none()
    }, `--${name} takes a whole number, ${range}.`),
    Options.withDefault(bounds.usual),
    Options.withDescription(`${description}: ${range}, ${bounds.usual} by default.`)
  )
}

/** A whole number from 1 on that need not be given. */
export const optionalNumber = (name: string, description: string): Options.Options<number | undefined> =>
  Options.text(name).pipe(
    Options.withPseudoName("N"),
    Options.filterMap(
      (given) => (/^\d{1,15}$/.test(given) && Number(given) > 0 ? Option.some(Number(given)) : Option.none()),
      `--${name} takes a whole number, 1 or more.`
    ),
    Options.optional,
    Options.map(Option.getOrUndefined),
    Options.withDescription(description)
  )

/** Texts, by the option given once or more often. */
export const texts = (
  name: string,
  pseudoName: string,
  description: string
): Options.Options<ReadonlyArray<string> | undefined> =>
  Options.text(name).pipe(
    Options.withPseudoName(pseudoName),
    Options.withDescription(`${description} May be given several times.`),
    Options.repeated,
    Options.map((given) => (given.length === 0 ? undefined : given))
  )

/** One of some words. */
export const choice = <const Choice extends string>(
  name: string,
  choices: ReadonlyArray<Choice>,
  description: string
): Options.Options<Choice | undefined> =>
  Options.choice(name, choices).pipe(
    Options.withDescription(description),
    Options.optional,
    Options.map(Option.getOrUndefined)
  )

export const flag = (name: string, description: string): Options.Options<boolean> =>
  Options.boolean(name).pipe(Options.withDescription(description))

export const argument = (name: string, description: string): Args.Args<string> =>
  Args.text({ name }).pipe(Args.withDescription(description))

export const optionalArgument = (name: string, description: string): Args.Args<string | undefined> =>
  argument(name, description).pipe(Args.optional, Args.map(Option.getOrUndefined))

/** The options of every command. */
export const common = {
  data: place(
    "data",
    "DIR",
    "The data folder. By default KANON_DATA, else .kanon in --vault, else the nearest .kanon upwards."
  ),
  vault: place(
    "vault",
    "DIR",
    "The folder of Markdown files, or database: or s3://bucket/prefix. One never seen before is made a workspace and ingested."
  ),
  workspace: text("workspace", "ID", "The workspace (ws_…); the first one of the data by default."),
  database: place(
    "database",
    "URL",
    "A Postgres database (postgres://…) in place of SQLite in the data folder. By default KANON_DATABASE_URL."
  ),
  json: flag("json", "Print one JSON document and nothing else.")
}

/** What a command takes that is done in somebody's name. */
export interface ActingInput extends CommonInput {
  readonly as: string | undefined
}

export const acting = {
  as: text(
    "as",
    "MEMBER",
    "In whose name it is done: history and audit name them, and what is in their care is theirs to decide."
  )
}

/** Which documents a search or a list is about. */
export const filter = {
  pathPrefix: text("path-prefix", "PATH", "Only documents whose path starts so."),
  tag: text("tag", "TAG", "Only documents with this tag."),
  verification: choice(
    "verification",
    ["unverified", "verified", "certified", "deprecated"],
    "Only documents of this verification."
  )
}
