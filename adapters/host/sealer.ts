import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SecretsUnavailable, type ServiceLayer, serviceLayer } from "../../core/platform/kernel/index.js"
import { Sealer } from "../../core/platform/secrets/index.js"
import { type KeyPlace, type MasterKey, makeKeyFile, readKeys, secretKeyVariable } from "./secret-keys.js"

const nonceBytes = 12
const tagBytes = 16
const version = "v1"

export interface SealerOptions extends Omit<KeyPlace, "variable"> {
  /** Read on each call, so that a rotated key takes effect at once. */
  readonly variable: () => string | undefined
  /** Whether the first credential creates the key file when no key is given; for data that a single host uses. */
  readonly makesFile: boolean
}

/**
 * Seals with AES-256-GCM: `v1.<key id>.<nonce, tag and ciphertext in base64url>`, bound to its place. Keys come from
 * `KANON_SECRET_KEY` and from a file in the data folder; without either, in-memory data get a key that ends with the
 * process.
 */
export const hostSealer = (options: SealerOptions): ServiceLayer<Sealer> =>
  serviceLayer(
    Sealer,
    Effect.sync(() => {
      const { file, makesFile, variable } = options
      const passing =
        file === null && makesFile ? [{ id: "00000000", bytes: randomBytes(32) } satisfies MasterKey] : []
      const keys = () => [...readKeys({ file, variable: variable() }), ...passing]
      const sealing = (): MasterKey => {
        const [first] = keys()
        if (first !== undefined) return first
        if (makesFile && file !== null) makeKeyFile(file)
        const [made] = keys()
        if (made !== undefined) return made
        throw new SecretsUnavailable({
          message: `There is no master key to seal credentials with: set ${secretKeyVariable}, or make one with 'kanon init'.`
        })
      }
      return {
        seal: (plain, place) => attempt(() => seal(sealing(), Redacted.value(plain), place)),
        open: (sealed, place) => attempt(() => Redacted.make(open(keys(), sealed, place))),
        isCurrent: (sealed) => attempt(() => keyOfSeal(sealed) === sealing().id)
      }
    })
  )

/** Returns the id of the key that made a seal. */
export const keyOfSeal = (sealed: string): string => sealed.split(".")[1] ?? ""

const attempt = <A>(work: () => A): Effect.Effect<A, SecretsUnavailable> =>
  Effect.try({
    try: work,
    catch: (error) =>
      error instanceof SecretsUnavailable
        ? error
        : new SecretsUnavailable({ message: "The credential cannot be sealed or opened." })
  })

const seal = (key: MasterKey, plain: string, place: string): string => {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce)
  cipher.setAAD(bindingOf(place))
  const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()])
  return [version, key.id, Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url")].join(".")
}

const open = (keys: ReadonlyArray<MasterKey>, sealed: string, place: string): string => {
  const [form, id, body = ""] = sealed.split(".")
  const key = keys.find((one) => one.id === id)
  if (form !== version || key === undefined)
    throw new SecretsUnavailable({
      message:
        keys.length === 0
          ? `The credential is sealed, and there is no master key: set ${secretKeyVariable}.`
          : `The credential was sealed with another master key than those available (${secretKeyVariable}, and the file in the data folder). Restore that key, or set the credential again.`
    })
  const bytes = Buffer.from(body, "base64url")
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes
    })
    decipher.setAAD(bindingOf(place))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString(
      "utf8"
    )
  } catch {
    throw new SecretsUnavailable({
      message: "The sealed credential is damaged, or belongs elsewhere: set it again."
    })
  }
}

const bindingOf = (place: string): Buffer => Buffer.from(`kanon/secret\0${place}`, "utf8")
