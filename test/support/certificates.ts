import { generateKeyPairSync, randomBytes, sign } from "node:crypto"

/** A certificate that vouches for itself, and its key, both as PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** Makes a certificate for a host, good for a day: X.509 version 3 (RFC 5280), ECDSA over P-256 with SHA-256. */
export const selfSigned = (host: string): Certificate => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const algorithm = sequence(ecdsaWithSha256)
  const name = sequence(tagged(0x31, sequence(commonName, tagged(0x0c, Buffer.from(host)))))
  const hours = (from: number) => utcTime(new Date(Date.now() + from * 3_600_000))
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    // The first byte keeps the number positive and as short as it says.
    integer(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    sequence(hours(-1), hours(24)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(
        extension(basicConstraints, sequence(tagged(0x01, Buffer.of(0xff)))),
        extension(subjectAltName, sequence(tagged(0x82, Buffer.from(host))))
      )
    )
  )
  const signature = sign("sha256", body, privateKey)
  const whole = sequence(body, algorithm, tagged(0x03, Buffer.concat([Buffer.of(0), signature])))
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${whole.toString("base64").replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

/** A value in the distinguished encoding of ASN.1: its tag, its length, itself. */
const tagged = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80
      ? Buffer.of(length)
      : length < 0x100
        ? Buffer.of(0x81, length)
        : Buffer.of(0x82, length >> 8, length & 0xff)
  return Buffer.concat([Buffer.of(tag), size, content])
}

const sequence = (...parts: ReadonlyArray<Uint8Array>): Buffer => tagged(0x30, ...parts)
const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes)
const identifier = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, "hex"))
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, tagged(0x04, value))
/** `261122041500Z`, as ASN.1 has it until 2049. */
const utcTime = (at: Date): Buffer =>
  tagged(0x17, Buffer.from(`${at.toISOString().replace(/\D/g, "").slice(2, 14)}Z`))

const ecdsaWithSha256 = identifier("2a8648ce3d040302")
const commonName = identifier("550403")
const basicConstraints = identifier("551d13")
const subjectAltName = identifier("551d11")
