import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { z } from "zod"

/** Used part of the server; the package has no types. */
interface Server {
  readonly run: () => Promise<unknown>
  readonly close: () => Promise<void>
}

const bucket = "kanon"
const load = createRequire(import.meta.url)

type Cipher = (name: string, key: Buffer, start: Buffer) => unknown

/** The server names the next page by a cipher that OpenSSL has given up, so it is given another one until this is called. */
const lendCipher = (): (() => void) => {
  const crypto: { createCipheriv: Cipher } = load("node:crypto")
  const own = crypto.createCipheriv
  crypto.createCipheriv = (name, key, start) =>
    name === "des"
      ? own("aes-128-cbc", Buffer.alloc(16, key), Buffer.alloc(16, start))
      : own(name, key, start)
  return () => {
    crypto.createCipheriv = own
  }
}

/** A server that speaks S3, with one empty bucket; the environment of this process leads to it until it is closed. */
export const startObjectStorage = async () => {
  const S3rver: new (options: Readonly<Record<string, unknown>>) => Server = load("s3rver")
  const takeBack = lendCipher()
  const directory = mkdtempSync(join(tmpdir(), "kanon-objects-"))
  const server = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }]
  })
  const { port } = z.object({ port: z.number() }).parse(await server.run())
  const environment = {
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: "S3RVER",
    AWS_SECRET_ACCESS_KEY: "S3RVER"
  }
  Object.assign(process.env, environment)
  return {
    bucket,
    environment,
    close: async () => {
      for (const name of Object.keys(environment)) delete process.env[name]
      await server.close()
      takeBack()
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
