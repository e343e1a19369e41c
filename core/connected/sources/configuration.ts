import * as Cron from "effect/Cron"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import {
  asInvalid,
  InvalidInput,
  invalid,
  millisOf,
  timestampOf,
  type WorkspaceScope
} from "../../platform/kernel/index.js"
import { type CrawlerProvider, Crawlers, type SourceKind } from "./crawler.js"
import { ConnectorConfig } from "./model.js"
import { readSshAddress } from "./providers.js"

/** Parses a configuration; the provider may be left out where the kind has only one. */
export const parsedConfig = (kind: SourceKind, given: unknown) =>
  Effect.gen(function* () {
    const only = [...(yield* Crawlers).values()].filter((one) => one.kind === kind)
    const base = only.length === 1 ? { provider: only[0]?.provider } : {}
    const named = ConnectorConfig.safeParse({ ...base, ...(Predicate.isRecord(given) ? given : {}) })
    if (!named.success)
      return yield* invalid(["config", "provider"], "required", "Expected the name of a provider.")
    const provider: CrawlerProvider = yield* providerOf(named.data, kind)
    const parsed = provider.config.safeParse(named.data)
    if (!parsed.success) return yield* belowConfig(asInvalid(parsed.error))
    return ConnectorConfig.parse(parsed.data)
  })

const belowConfig = ({ issues }: InvalidInput) =>
  new InvalidInput({ issues: issues.map((issue) => ({ ...issue, path: ["config", ...issue.path] })) })

/** Asks the crawler whether it takes configuration and credential; opens no connection. */
export const checkConfig = (config: ConnectorConfig, credential: string | null, workspace: WorkspaceScope) =>
  Effect.gen(function* () {
    const provider = (yield* Crawlers).get(config.provider)
    if (provider === undefined) return
    if (provider.credential === "none" && credential !== null)
      return yield* invalid(["credential"], "not_allowed", "This provider takes no credential.")
    if (provider.credential === "required" && credential === null)
      return yield* invalid(["credential"], "required", "This provider needs a credential.")
    const target = {
      key: workspace,
      config,
      credential: credential === null ? null : Redacted.make(credential),
      upload: null
    }
    if (provider.kind === "markdown_upload") return
    yield* Effect.scoped(provider.open(target)).pipe(
      Effect.catchTag("SourceRejected", ({ message }) => invalid(["config"], "not_allowed", message))
    )
  })

/** Fields that name the account of a credential. */
const accountFields = ["username", "accessKeyId"] as const

/** Whether a credential would be sent to another server or account than before. */
export const isSentElsewhere = (before: ConnectorConfig, after: ConnectorConfig): boolean =>
  originOf(before) !== originOf(after) || accountFields.some((field) => before[field] !== after[field])

const originOf = (config: ConnectorConfig): string =>
  JSON.stringify(
    ["url", "endpoint", "bucket", "region", "tokenUrl", "tenant"]
      .map((field) => config[field])
      .map((one) => {
        if (typeof one !== "string") return one
        const ssh = readSshAddress(one)
        if (ssh !== null) return `ssh://${ssh.user}@${ssh.host}:${ssh.port}`
        return URL.canParse(one) ? `${new URL(one).protocol}//${new URL(one).host}` : one
      })
  )

/** The provider of a configuration, if this host has it for this kind. */
const providerOf = (config: ConnectorConfig, kind: SourceKind) =>
  Effect.gen(function* () {
    const provider = (yield* Crawlers).get(config.provider)
    if (provider?.kind === kind) return provider
    const known = [...(yield* Crawlers).values()].filter((one) => one.kind === kind)
    const message =
      known.length === 0
        ? `This host has no crawler for sources of the kind ${kind}.`
        : `A source of the kind ${kind} has one of the providers ${known.map((one) => one.provider).join(", ")}.`
    return yield* invalid(["config", "provider"], "invalid_value", message)
  })

/** The first moment after another at which a cron expression with five fields (UTC) is due. */
export const nextDue = (expression: string, after: string): Either.Either<string, InvalidInput> => {
  const fields = expression.trim().split(/\s+/)
  if (fields.length !== 5)
    return Either.left(badSchedule("A schedule has five fields: minute, hour, day, month, day of the week."))
  return Either.flatMap(
    Either.mapLeft(Cron.parse(fields.join(" "), "UTC"), () =>
      badSchedule("The schedule is no cron expression.")
    ),
    (cron) =>
      Either.try({
        try: () => timestampOf(Cron.next(cron, millisOf(after)).getTime()),
        catch: () => badSchedule("The schedule is never due.")
      })
  )
}

const badSchedule = (message: string) => invalid(["schedule"], "invalid_schedule", message)
