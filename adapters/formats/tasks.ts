import type { ConvertibleFile } from "../../core/files/documents/index.js"

/**
 * Work on foreign text that the child process does, by name. Each takes and gives plain data; a list is sent in
 * parts, so that receiving it never holds up the parent.
 */
export const tasks = {
  convert: async (file: ConvertibleFile) => (await import("./convert.js")).convertHere(file),
  wikiRedirects: async (input: import("../sources/mediawiki/article-html.js").ArticleInput) =>
    (await import("../sources/mediawiki/article-html.js")).articleRedirects(input),
  wikiArticle: async (input: import("../sources/mediawiki/article-html.js").LinkedArticleInput) =>
    (await import("../sources/mediawiki/article-html.js")).articleMarkdown(input),
  confluenceReferences: async (storage: string) =>
    (await import("../sources/confluence/storage-format.js")).storageReferences(storage),
  confluencePage: async (input: import("../sources/confluence/storage-format.js").StorageInput) =>
    (await import("../sources/confluence/storage-format.js")).storageMarkdown(input),
  webPage: async (input: import("../sources/web/page.js").PageInput) =>
    (await import("../sources/web/page.js")).readPage(input),
  webSitemap: async (bytes: Uint8Array) => (await import("../sources/web/xml.js")).readSitemap(bytes),
  webFeed: async (input: import("../sources/web/xml.js").FeedInput) =>
    (await import("../sources/web/xml.js")).readFeed(input),
  davListing: async (input: import("../sources/library/listings.js").DavInput) =>
    (await import("../sources/library/listings.js")).readMultistatus(input),
  s3Listing: async (input: import("../sources/library/listings.js").BucketInput) =>
    (await import("../sources/library/listings.js")).readBucket(input),
  jiraTexts: async (documents: ReadonlyArray<unknown>) =>
    (await import("../sources/jira/adf.js")).readAdf(documents),
  gitChanges: async (input: import("../sources/git/changes.js").DiffInput) =>
    (await import("../sources/git/changes.js")).readChanges(input),
  chatExport: async (input: import("../sources/chat/export-days.js").ExportInput) =>
    (await import("../sources/chat/export-days.js")).exportDays(input),
  upload: async (files: ReadonlyArray<import("../../core/connected/sources/index.js").UploadedFile>) =>
    (await import("../sources/markdown-upload/items.js")).readItems(files)
}

export type TaskName = keyof typeof tasks
export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0]
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>

/** Tasks on whole archives, which take more time and memory than a file. */
export const archiveTasks: ReadonlySet<TaskName> = new Set(["chatExport", "upload"])
