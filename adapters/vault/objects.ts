import { createHash, randomUUID } from "node:crypto"
import type { S3Client } from "@aws-sdk/client-s3"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Vault } from "../../core/files/documents/index.js"
import { VaultUnavailable } from "../../core/platform/kernel/index.js"
import { ownFolder } from "./paths.js"
import { type RemoteFile, stagedAhead, strayMs, vaultEntries, watchByPolling } from "./remote.js"
import { trashedAmong, trashName } from "./trash-names.js"

const trashFolder = `${ownFolder}/trash/`

type Library = typeof import("@aws-sdk/client-s3")

interface Storage {
  readonly library: Library
  readonly client: S3Client
}

/** An object in a listing or a response. */
interface ObjectInfo {
  readonly ETag?: string | undefined
  readonly LastModified?: Date | undefined
}

/**
 * A vault in S3-compatible storage: each file is an object under the prefix. A staged file is an object too;
 * publishing copies it to its path, which is atomic, and then removes it, so that a crash leaves the old or the new
 * file. Address, region and credentials come from the environment, as the AWS SDK reads it (`AWS_ACCESS_KEY_ID`,
 * `AWS_REGION`, `AWS_ENDPOINT_URL_S3` and others), and are not stored.
 *
 * @param options.lookMs Polling interval of a watch in milliseconds (default 5,000).
 * @param options.pageMax Objects per listing response (default: the storage's own, usually 1,000).
 */
export const objectVault = (
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  { lookMs, pageMax }: { readonly lookMs?: number; readonly pageMax?: number } = {}
): Vault["Type"] => {
  const root = prefix === "" ? "" : `${prefix}/`
  const keyOf = (path: string) => `${root}${path}`
  const staged = (handle: string) => keyOf(`${ownFolder}/staged/${handle}`)
  const trashed = (id: string) => keyOf(trashFolder + trashName(id))
  const attempt = <A>(path: string, work: (storage: Storage) => Promise<A>) =>
    Effect.tryPromise({ try: async () => work(await storage()), catch: (error) => unavailable(path, error) })

  const head = ({ client, library }: Storage, key: string) =>
    client.send(new library.HeadObjectCommand({ Bucket: bucket, Key: key })).catch(ignoreMissing)

  const expectAt = async (storage: Storage, path: string): Promise<void> => {
    if ((await head(storage, keyOf(path))) === undefined)
      throw Object.assign(new Error(), { name: "NoSuchKey" })
  }

  /** Moves an object, overwriting the target; does nothing when the source is missing. */
  const put = async (storage: Storage, from: string, to: string): Promise<void> => {
    const { client, library } = storage
    if (from === to || (await head(storage, from)) === undefined) return
    const CopySource = `${bucket}/${from.split("/").map(encodeURIComponent).join("/")}`
    // The later of two concurrent calls finds the first one done.
    await client
      .send(new library.CopyObjectCommand({ Bucket: bucket, Key: to, CopySource }))
      .catch(ignoreMissing)
    await remove(storage, from)
  }

  const remove = async ({ client, library }: Storage, key: string): Promise<void> => {
    await client.send(new library.DeleteObjectCommand({ Bucket: bucket, Key: key }))
  }

  const list = async ({ client, library }: Storage, under: string) => {
    const files: Array<RemoteFile> = []
    for (let StartAfter: string | undefined; ; ) {
      const page = await client.send(
        new library.ListObjectsV2Command({
          Bucket: bucket,
          Prefix: keyOf(under),
          StartAfter,
          MaxKeys: pageMax
        })
      )
      for (const { Key, Size, ...info } of page.Contents ?? [])
        if (Key !== undefined)
          files.push({ path: Key.slice(root.length), sizeBytes: Size ?? 0, mtimeMs: momentOf(info) })
      StartAfter = page.Contents?.at(-1)?.Key
      if (page.IsTruncated !== true || StartAfter === undefined) return files
    }
  }

  const read = async ({ client, library }: Storage, key: string, limitBytes: number) => {
    const there = await client
      .send(new library.GetObjectCommand({ Bucket: bucket, Key: key }))
      .catch(ignoreMissing)
    if (there?.Body === undefined) return Option.none()
    const sizeBytes = there.ContentLength ?? 0
    if (sizeBytes > limitBytes) {
      await there.Body.transformToWebStream().cancel()
      throw new TooLarge(sizeBytes, limitBytes)
    }
    const bytes = await there.Body.transformToByteArray()
    return Option.some({ bytes, stamp: { sizeBytes, mtimeMs: momentOf(there) } })
  }

  const walk: Vault["Type"]["walk"] = (under) =>
    attempt(under, async (storage) => {
      const files = await list(storage, under)
      return vaultEntries(
        files.filter(({ path }) => under === "" || path === under || path.startsWith(`${under}/`))
      )
    })

  const stage: Vault["Type"]["stage"] = (path, bytes) =>
    attempt(path, async ({ client, library }) => {
      const handle = randomUUID()
      const object = { Bucket: bucket, Key: staged(handle), Body: bytes, ContentType: "text/markdown" }
      await client.send(new library.PutObjectCommand(object))
      return handle
    })

  return {
    walk,
    read: (path, limitBytes) => attempt(path, (storage) => read(storage, keyOf(path), limitBytes)),
    checkWritable: () => Effect.void,
    stage,
    stageAhead: stagedAhead(stage),
    publish: (path, handle) =>
      attempt(path, async (storage) => {
        await put(storage, staged(handle), keyOf(path))
        await expectAt(storage, path)
      }),
    discard: (handle) => Effect.ignore(attempt("", (storage) => remove(storage, staged(handle)))),
    move: (from, to) =>
      attempt(to, async (storage) => {
        await put(storage, keyOf(from), keyOf(to))
        await expectAt(storage, to)
      }),
    trash: (path, id) => attempt(path, (storage) => put(storage, keyOf(path), trashed(id))),
    readTrash: (id) =>
      attempt(id, async (storage) =>
        Option.map(await read(storage, trashed(id), Number.MAX_SAFE_INTEGER), ({ bytes }) => bytes)
      ),
    dropTrash: (id) => attempt(id, (storage) => remove(storage, trashed(id))),
    trashed: attempt("", async (storage) =>
      trashedAmong((await list(storage, trashFolder)).map(({ path }) => path.slice(trashFolder.length)))
    ),
    strays: attempt("", async (storage) => {
      const folder = `${ownFolder}/staged/`
      const oldMs = Date.now() - strayMs
      return (await list(storage, folder))
        .filter(({ mtimeMs }) => mtimeMs < oldMs)
        .map(({ path }) => path.slice(folder.length))
    }),
    watch: watchByPolling(walk, lookMs)
  }
}

let opened: Opened | undefined

/** Returns the client of this process, loaded on first use: the SDK is optional and slow to load. */
const storage = (): Promise<Storage> => {
  const at = placeOf()
  const openStorage = opened
  if (openStorage !== undefined && openStorage.endpoint === at.endpoint && openStorage.region === at.region)
    return openStorage.storage
  const made: Opened = {
    ...at,
    storage: open(at).catch((error: unknown) => {
      if (opened === made) opened = undefined
      throw error
    })
  }
  opened = made
  return made.storage
}

/** Reads the storage endpoint from the environment. */
const placeOf = () => ({
  endpoint: process.env["AWS_ENDPOINT_URL_S3"] ?? process.env["AWS_ENDPOINT_URL"],
  region: process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"] ?? "us-east-1"
})
type StoragePlace = ReturnType<typeof placeOf>

interface Opened extends StoragePlace {
  readonly storage: Promise<Storage>
}

const open = async ({ endpoint, region }: StoragePlace): Promise<Storage> => {
  const library = await import("@aws-sdk/client-s3").catch(() => {
    throw new NoLibrary()
  })
  const client = new library.S3Client({
    region,
    // Storage other than Amazon's rarely has a host name per bucket, and does not support its newer checksums.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED"
  })
  return { library, client }
}

/**
 * Returns the change time of an object. Storage reports whole seconds; the fraction comes from the tag, so that
 * different contents within a second have different stamps.
 */
const momentOf = ({ ETag = "", LastModified }: ObjectInfo): number => {
  const second = Math.floor((LastModified?.getTime() ?? 0) / 1000) * 1000
  return second + (createHash("sha256").update(ETag.replaceAll('"', "")).digest().readUInt32BE() % 1e6) / 1000
}

const ignoreMissing = (error: unknown): undefined => {
  if (["NoSuchKey", "NotFound"].includes(nameOf(error))) return undefined
  throw error
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "io_error")

class TooLarge extends Error {
  override readonly name = "too_large"
  constructor(sizeBytes: number, limitBytes: number) {
    super(`${sizeBytes} bytes; a document holds at most ${limitBytes}.`)
  }
}

class NoLibrary extends Error {
  override readonly name = "s3_client_missing"
  override readonly message =
    "Vaults in object storage need the package @aws-sdk/client-s3: npm install @aws-sdk/client-s3"
}

/** Converts an error to a message that a user can act on; the storage's own text may contain an address or a key. */
const unavailable = (path: string, error: unknown): VaultUnavailable => {
  const code = nameOf(error)
  const known: Readonly<Record<string, string>> = {
    NoSuchKey: "There is no such file.",
    NoSuchBucket: "There is no such bucket.",
    AccessDenied: "The storage denies access.",
    InvalidAccessKeyId: "The access key is unknown to the storage.",
    SignatureDoesNotMatch: "The secret access key is wrong.",
    CredentialsProviderError: "No credentials for the storage in the environment."
  }
  const own = error instanceof TooLarge || error instanceof NoLibrary
  const message = own ? error.message : (known[code] ?? `The storage reports ${code}.`)
  return new VaultUnavailable({ code, message: path === "" ? message : `${path}: ${message}` })
}
