import { AsyncLocalStorage } from "node:async_hooks"
import type * as OpenId from "openid-client"
import { isLoopback, type OidcConfig } from "../config.js"

/** The configuration of a provider is read again after so long, and until then kept. */
const freshMs = 10 * 60_000
/** A sign-in that fails may have the configuration and the keys read again so often. */
const againMs = 60_000
/** Far more than an answer of a provider has: a configuration, keys, tokens, or claims. */
const answerMaxBytes = 1024 * 1024
/** An id token is made for the sign-in that receives it: its `iat` may be off by so many seconds, for clocks that differ. */
const issuedOffSeconds = 600

/** What a provider says about a person. The claims of the id token go before those of `userinfo`. */
export type Claims = Readonly<Record<string, unknown>> & { readonly iss: string; readonly sub: string }

/** State of a sign-in between the way to the provider and the way back. */
export interface SignInAttempt {
  readonly state: string
  readonly verifier: string
  readonly nonce: string
}

/** A provider of identities. */
export interface Provider {
  /** Begins a sign-in: its state, and the address at the provider to which the browser goes. */
  readonly begin: (redirectUri: URL) => Promise<{ readonly attempt: SignInAttempt; readonly address: URL }>
  /** Takes the code to the provider and returns the claims of a checked id token; throws with the reason. */
  readonly claims: (back: URL, attempt: SignInAttempt) => Promise<Claims>
}

interface Discovered {
  readonly openid: typeof OpenId
  readonly configuration: OpenId.Configuration
  /** How often the keys have been read. */
  keyReads: number
}

/** The answer of the token endpoint of one sign-in: a code is good once, so a second look at the answer is of this one. */
interface TokenAnswer {
  given?: { readonly url: string; readonly body: string; readonly headers: Headers }
}

/**
 * Returns the provider of a configuration. Its metadata and keys are read at the first use, now and then, and again when
 * a sign-in fails on them, so that it may change keys, algorithm and endpoints while the server runs. `warn` logs what
 * does not end a sign-in.
 */
export const identityProvider = (
  oidc: OidcConfig,
  warn: (message: string, error: unknown) => Promise<void>
): Provider => {
  const answers = new AsyncLocalStorage<TokenAnswer>()
  let current: { readonly at: number; readonly found: Promise<Discovered> } | null = null
  let againAt = Number.NEGATIVE_INFINITY

  const discover = async (): Promise<Discovered> => {
    const openid = await import("openid-client")
    const isPlain = oidc.issuer.startsWith("http:")
    const discovered: Pick<Discovered, "keyReads"> = { keyReads: 0 }
    const known = { tokenEndpoint: "", keys: "" }
    const fetchBounded: OpenId.CustomFetch = async (url, options) => {
      const held = answers.getStore()
      if (held?.given?.url === url) return new Response(held.given.body, { headers: held.given.headers })
      const { hostname, protocol } = new URL(url)
      if (protocol === "http:" && !isLoopback(hostname))
        throw new TypeError("The provider names an address that is not encrypted.")
      const response = await fetch(url, {
        ...options,
        body: options.body ?? null,
        signal: options.signal ?? null
      })
      const body = await boundedText(response)
      const { headers, ok, status } = response
      if (ok && url === known.keys) discovered.keyReads++
      if (ok && held !== undefined && url === known.tokenEndpoint) held.given = { url, body, headers }
      return new Response(body === "" ? null : body, { status, headers })
    }
    const configuration = await openid.discovery(
      new URL(oidc.issuer),
      oidc.clientId,
      undefined,
      oidc.clientSecret === undefined ? openid.None() : openid.ClientSecretPost(oidc.clientSecret),
      {
        // Without this one, openid-client trusts the connection to the token endpoint and checks no signature.
        execute: [openid.enableNonRepudiationChecks, ...(isPlain ? [openid.allowInsecureRequests] : [])],
        [openid.customFetch]: fetchBounded
      }
    )
    const { jwks_uri: keys, token_endpoint: tokenEndpoint } = configuration.serverMetadata()
    Object.assign(known, { tokenEndpoint: hrefOf(tokenEndpoint), keys: hrefOf(keys) })
    return Object.assign(discovered, { openid, configuration })
  }

  const read = (): Promise<Discovered> => {
    const before = current?.found
    const found = discover().catch(async (error: unknown) => {
      if (before === undefined) {
        current = null
        throw error
      }
      await warn("The configuration of the provider of identities cannot be read again", error)
      return before
    })
    current = { at: performance.now(), found }
    return found
  }

  const discovered = (): Promise<Discovered> =>
    current !== null && performance.now() - current.at < freshMs ? current.found : read()

  /** Returns the provider as it is now, after a failure with an older view of it; null where nothing newer is to be had. */
  const discoveredAgain = async (failed: Discovered, keyReadsBefore: number): Promise<Discovered | null> => {
    const latest = await discovered()
    if (latest !== failed) return latest
    const now = performance.now()
    // With keys that were read in this sign-in, reading them again changes nothing.
    if (failed.keyReads > keyReadsBefore) {
      if (keyReadsBefore > 0) againAt = now
      return null
    }
    if (now - againAt < againMs) return null
    againAt = now
    const fresh = await read()
    return fresh === failed ? null : fresh
  }

  const tokensOf = (
    { configuration, openid }: Discovered,
    back: URL,
    { nonce, state, verifier }: SignInAttempt
  ) =>
    openid.authorizationCodeGrant(configuration, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true
    })

  const grant = async (back: URL, attempt: SignInAttempt) => {
    const first = await discovered()
    const keyReads = first.keyReads
    const { AuthorizationResponseError, ResponseBodyError } = first.openid
    const isRefusal = (error: unknown) =>
      error instanceof ResponseBodyError || error instanceof AuthorizationResponseError
    try {
      return { ...first, tokens: await tokensOf(first, back, attempt) }
    } catch (error) {
      const again = isRefusal(error) ? null : await discoveredAgain(first, keyReads)
      if (again === null) throw error
      const tokens = await tokensOf(again, back, attempt).catch((later: unknown) => {
        // The code was used up by the first try, whose failure says more.
        throw isRefusal(later) ? error : later
      })
      return { ...again, tokens }
    }
  }

  return {
    begin: async (redirectUri) => {
      const { configuration, openid } = await discovered()
      const attempt = {
        verifier: openid.randomPKCECodeVerifier(),
        state: openid.randomState(),
        nonce: openid.randomNonce()
      }
      const address = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri.href,
        scope: "openid profile email",
        code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        state: attempt.state,
        nonce: attempt.nonce
      })
      return { attempt, address }
    },
    claims: (back, attempt) =>
      answers.run({}, async () => {
        const { configuration, openid, tokens } = await grant(back, attempt)
        const claims: Claims | undefined = tokens.claims()
        if (claims === undefined) throw new Error("The provider gave no id token.")
        const offSeconds = Math.abs(Date.now() / 1000 - Number(claims["iat"]))
        if (!(offSeconds <= issuedOffSeconds))
          throw new Error(`The id token was issued ${Math.round(offSeconds)} seconds from now (iat).`)
        if (wanted(oidc).every((name) => claims[name] !== undefined)) return claims
        if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims
        const more = await openid
          .fetchUserInfo(configuration, tokens.access_token, claims.sub)
          .catch(async (error: unknown) => {
            await warn("The provider of identities does not give the claims of userinfo", error)
            return {}
          })
        return joined(claims, more)
      })
  }
}

/** The claims that a sign-in looks at. */
const wanted = ({ claim, groups }: OidcConfig): ReadonlyArray<string> => [
  "email",
  "email_verified",
  claim,
  ...(groups === undefined ? [] : [groups.claim])
]

/** An address and whether it is verified are of one source: joined of two, they would vouch for what neither says. */
const joined = (claims: Claims, more: Readonly<Record<string, unknown>>): Claims => {
  const isWhole = claims["email"] !== undefined && claims["email_verified"] !== undefined
  const { email, email_verified: isVerified } = isWhole ? claims : more
  return { ...more, ...claims, email, email_verified: isVerified }
}

const hrefOf = (address: string | undefined): string =>
  address !== undefined && URL.canParse(address) ? new URL(address).href : ""

/** Reads a body as text; one that is too long is given up at the bound. */
const boundedText = async ({ body }: Response): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  let size = 0
  for await (const piece of body ?? []) {
    size += piece.length
    if (size > answerMaxBytes)
      throw new TypeError(`The provider answers with more than ${answerMaxBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString("utf8")
}

/** Returns a failure in words, with its cause: openid-client names there what it found. */
export const reasonOf = (error: unknown): string => {
  const words = [error, error instanceof Error ? error.cause : undefined].flatMap((one) =>
    one instanceof Error && one.message !== "" ? [one.message] : []
  )
  return words.length === 0 ? "unknown" : [...new Set(words)].join(": ").slice(0, 500)
}
