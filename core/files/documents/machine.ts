import * as Either from "effect/Either"
import { InvalidTransition } from "../../platform/kernel/index.js"
import type { FrontMatter } from "../markdown/index.js"
import type { ConvertedFrom, Document, SourceMetadata, Verification } from "./model.js"
import { isVouchedFor, verificationAfter } from "./states.js"

/** The columns that a parsed file gives to the row. */
export interface Content {
  readonly contentHash: string
  readonly sizeBytes: number
  readonly mtimeMs: number
  readonly title: string
  readonly frontMatter: FrontMatter
  readonly file?: ConvertedFrom
  readonly source?: SourceMetadata
}

export type Command =
  | { readonly _tag: "ReplaceContent"; readonly content: Content }
  /** Links are rewritten and lead to the same targets, so the verification stays. */
  | { readonly _tag: "Relink"; readonly content: Content }
  | { readonly _tag: "Move"; readonly path: string; readonly title: string }
  /** Sets the verification; the caller and the review date are recorded with `verified` and `certified`. */
  | {
      readonly _tag: "Verify"
      readonly verification: Verification
      readonly by: string
      readonly nextVerifyAt: string
    }
  | { readonly _tag: "Delete" }
  | { readonly _tag: "Restore"; readonly path: string; readonly content: Content }

/** Returns the row of a new document. */
export const create = (
  birth: Pick<Document, "id" | "path"> & { readonly content: Content; readonly at: string }
): Document => ({
  id: birth.id,
  path: birth.path,
  ...birth.content,
  version: 1,
  verification: "unverified",
  verifiedBy: null,
  verifiedAt: null,
  nextVerifyAt: null,
  createdAt: birth.at,
  updatedAt: birth.at,
  deletedAt: null,
  seq: 0
})

/** Returns the document after the command; the same object when nothing changed. */
export const decide = (
  now: Document,
  command: Command,
  at: string
): Either.Either<Document, InvalidTransition> => {
  const live = now.deletedAt === null
  switch (command._tag) {
    case "ReplaceContent":
      if (!live) return refuse("trash", "replaced")
      return Either.right(
        command.content.contentHash === now.contentHash ? now : replaced(now, command.content, at)
      )
    case "Relink":
      if (!live) return refuse("trash", "relinked")
      return Either.right(
        command.content.contentHash === now.contentHash
          ? now
          : { ...now, ...command.content, version: now.version + 1, updatedAt: at }
      )
    case "Move":
      if (!live) return refuse("trash", "moved")
      return Either.right(
        command.path === now.path ? now : { ...now, path: command.path, title: command.title, updatedAt: at }
      )
    case "Verify":
      return live ? Either.right(verified(now, command, at)) : refuse("trash", command.verification)
    case "Delete":
      return live ? Either.right({ ...now, deletedAt: at }) : Either.right(now)
    case "Restore":
      if (live) return refuse("live", "restored")
      return Either.right({
        ...(command.content.contentHash === now.contentHash
          ? { ...now, ...command.content }
          : replaced(now, command.content, at)),
        path: command.path,
        deletedAt: null,
        updatedAt: at
      })
  }
}

/** Removes what describes the former text from the metadata of the original: its pages and its warnings. */
const withoutText = ({ readBy: _, textWarnings: __, ...source }: SourceMetadata): SourceMetadata => ({
  ...source,
  pageStarts: []
})

const replaced = (now: Document, content: Content, at: string): Document => ({
  ...now,
  ...content,
  // Pages are those of the original's text.
  ...(content.source === undefined && now.source !== undefined ? { source: withoutText(now.source) } : {}),
  version: now.version + 1,
  updatedAt: at,
  ...withStamps(verificationAfter(now.verification, "replace"), now)
})

/** Setting the same value again renews its stamps. The text stays, so neither version nor `updatedAt` changes. */
const verified = (
  now: Document,
  { by, nextVerifyAt, verification }: Extract<Command, { readonly _tag: "Verify" }>,
  at: string
): Document => ({
  ...now,
  ...withStamps(verificationAfter(now.verification, verification), {
    verifiedBy: by,
    verifiedAt: at,
    nextVerifyAt
  })
})

/** Returns a verification with its stamps. */
const withStamps = (
  verification: Verification,
  { nextVerifyAt, verifiedAt, verifiedBy }: Pick<Document, "verifiedBy" | "verifiedAt" | "nextVerifyAt">
) =>
  isVouchedFor(verification)
    ? { verification, verifiedBy, verifiedAt, nextVerifyAt }
    : { verification, verifiedBy: null, verifiedAt: null, nextVerifyAt: null }

const refuse = (from: string, to: string) => Either.left(new InvalidTransition({ from, to }))
