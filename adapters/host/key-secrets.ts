import { randomBytes, hash as sha } from "node:crypto"
import { crc32 } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { KeyKind } from "../../core/platform/identity/index.js"
import type { KeySecrets } from "../../core/platform/kernel/index.js"

const prefixes: Readonly<Record<KeyKind, string>> = { workspace: "svc_sk_", user: "svc_uk_" }
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** 62^43 is the first power above 2^256. */
const secretLength = 43
/** 62^6 is the first power above 2^32. */
const checksumLength = 6
/** Number of displayed characters of the random part: enough to recognize a key, too few to help guessing it. */
const shownLength = 6

/**
 * Generates and parses keys of the contract: `svc_sk_` or `svc_uk_`, 32 random bytes in base62 (43 characters,
 * zero-padded), and the CRC-32 of all before it in base62 (6 characters), so that a typing error is detected without a
 * look-up.
 */
export const keySecrets: KeySecrets = {
  make: (kind) =>
    Effect.sync(() => {
      const body = prefixes[kind] + base62(BigInt(`0x${randomBytes(32).toString("hex")}`), secretLength)
      const secret = body + checksum(body)
      return { secret, hash: hash(secret), prefix: body.slice(0, prefixes[kind].length + shownLength) }
    }),
  hashOf: (secret) => {
    if (!form.test(secret)) return Option.none()
    const body = secret.slice(0, -checksumLength)
    return checksum(body) === secret.slice(-checksumLength) ? Option.some(hash(secret)) : Option.none()
  },
  makeToken: Effect.sync(() => {
    const token = randomBytes(32).toString("base64url")
    return { token, hash: hash(token) }
  }),
  hashOfToken: (token) => (/^[\w-]{43}$/.test(token) ? Option.some(hash(token)) : Option.none())
}

const form = new RegExp(
  `^(?:${Object.values(prefixes).join("|")})[0-9A-Za-z]{${secretLength + checksumLength}}$`
)

const checksum = (body: string): string => base62(BigInt(crc32(body)), checksumLength)

const hash = (secret: string): string => sha("sha256", secret, "hex")

const base62 = (value: bigint, length: number): string => {
  let text = ""
  for (let left = value; left > 0n; left /= 62n) text = (digits[Number(left % 62n)] ?? "") + text
  return text.padStart(length, "0")
}
