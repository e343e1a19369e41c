/** Access tokens of OAuth 2 for connectors, got with what the sealed credential holds. */
import { createSign } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { z } from "zod"
import {
  type CrawlTarget,
  type SourceFault,
  SourceRejected,
  SourceUnauthorized
} from "../../core/connected/sources/index.js"
import type { AddressRules } from "../host/addresses.js"
import { jsonOf, type SourceHttp, sourceHttp } from "./http.js"

const Client = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  refreshToken: z.string().min(1).optional()
})
const ServiceAccount = z.object({
  type: z.literal("service_account"),
  client_email: z.string(),
  private_key: z.string()
})
const Token = z.object({
  access_token: z.string(),
  expires_in: z.coerce.number().catch(300),
  refresh_token: z.string().optional()
})
const Refusal = z.object({ error: z.string().max(100), error_description: z.string().optional() })

/** A token is asked for again this long before it ends. */
const earlyMs = 60_000
const accountLifeSeconds = 3600

export interface OAuthSettings {
  /** Where tokens are given. */
  readonly tokenUrl: string
  readonly scope: string
  /** Whom a service account acts for. */
  readonly subject?: string | undefined
}

/**
 * A sender of requests with an access token. The credential is one of: the key of a service account (JSON of Google), an
 * object with `clientId`, `clientSecret` and `refreshToken`, one without a refresh token for the client itself, or a
 * token that is sent as it is. A refresh token that the source replaces is stored before it is used.
 */
export const oauthHttp = (
  rules: AddressRules,
  { credential, keepCredential }: Pick<CrawlTarget, "credential" | "keepCredential">,
  api: { readonly url: string; readonly requestsPerSecond?: number | undefined },
  { scope, subject, tokenUrl }: OAuthSettings
): Effect.Effect<SourceHttp, SourceRejected> =>
  Effect.gen(function* () {
    const http = yield* sourceHttp(rules, api)
    const tokens = yield* sourceHttp(rules, { url: tokenUrl })
    const host = new URL(tokenUrl).host
    let secret = credential === null ? "" : Redacted.value(credential)
    const parsed: unknown = yield* Effect.try(() => JSON.parse(secret)).pipe(Effect.orElseSucceed(() => null))
    const isObject = typeof parsed === "object" && parsed !== null
    const account = ServiceAccount.safeParse(parsed)
    const client = Client.safeParse(parsed)
    if (isObject && !account.success && !client.success)
      return yield* new SourceRejected({
        message:
          "The credential is neither the key of a service account nor {clientId, clientSecret, refreshToken}."
      })

    const grantOf = (now: number): Readonly<Record<string, string>> | SourceRejected => {
      if (account.success) {
        const assertion = signedAssertion(account.data, { scope, subject, tokenUrl }, now)
        return assertion === null
          ? new SourceRejected({ message: "The private key of the service account cannot be read." })
          : { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }
      }
      const { clientId, clientSecret, refreshToken } = Client.parse(JSON.parse(secret))
      return {
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        ...(refreshToken === undefined
          ? { grant_type: "client_credentials", scope }
          : { grant_type: "refresh_token", refresh_token: refreshToken })
      }
    }

    const fresh: Effect.Effect<{ readonly token: string; readonly until: number }, SourceFault> = Effect.gen(
      function* () {
        const now = yield* Clock.currentTimeMillis
        const grant = grantOf(now)
        if (grant instanceof SourceRejected) return yield* grant
        const request = {
          url: tokenUrl,
          method: "POST",
          headers: { accept: "application/json" },
          body: new URLSearchParams(grant),
          mayBeForbidden: true
        }
        const response = yield* tokens.send(request)
        const answer = yield* jsonOf(response, request)
        if (!response.ok) {
          const refusal = Refusal.safeParse(answer)
          const why = refusal.success ? ` (${refusal.data.error})` : ` (status ${response.status})`
          return yield* new SourceUnauthorized({
            message:
              refusal.data?.error === "invalid_grant"
                ? `${host} no longer accepts the authorization${why}: it was revoked or has ended. Give the connector a new one.`
                : `${host} gives no access token${why}.`
          })
        }
        const token = Token.safeParse(answer)
        if (!token.success)
          return yield* new SourceRejected({
            message: `${host} does not answer as a server of OAuth 2 does.`
          })
        const { access_token, expires_in, refresh_token } = token.data
        if (client.success && refresh_token !== undefined && refresh_token !== client.data.refreshToken) {
          secret = JSON.stringify({ ...client.data, refreshToken: refresh_token })
          yield* keepCredential?.(Redacted.make(secret)) ?? Effect.void
        }
        return { token: access_token, until: now + expires_in * 1000 - earlyMs }
      }
    )

    const alone = yield* Effect.makeSemaphore(1)
    let known: { readonly token: string; readonly until: number } | null = isObject
      ? null
      : { token: secret, until: Number.POSITIVE_INFINITY }
    const current = alone.withPermits(1)(
      Effect.gen(function* () {
        if (known === null || known.until <= (yield* Clock.currentTimeMillis)) known = yield* fresh
        return known.token
      })
    )
    return {
      send: (request) =>
        Effect.flatMap(current, (token) =>
          http.send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } })
        )
    }
  })

/** The assertion of a service account, as RFC 7523 has it; null where the key cannot be used. */
const signedAssertion = (
  { client_email, private_key }: z.infer<typeof ServiceAccount>,
  { scope, subject, tokenUrl }: OAuthSettings,
  now: number
): string | null => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const iat = Math.floor(now / 1000)
  const claims = {
    iss: client_email,
    scope,
    aud: tokenUrl,
    iat,
    exp: iat + accountLifeSeconds,
    ...(subject === undefined ? {} : { sub: subject })
  }
  const text = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`
  try {
    return `${text}.${createSign("RSA-SHA256").update(text).sign(private_key, "base64url")}`
  } catch {
    return null
  }
}
