/** File name extensions of Markdown, in any case. */
const extension = /\.(?:md|markdown|mdx)$/i

/** Whether the name is that of a Markdown file: `.md`, `.markdown` or `.mdx`, in any case. */
export const isMarkdown = (path: string): boolean => extension.test(path)

/** The path without the extension of a Markdown file. */
export const withoutExtension = (path: string): string => path.replace(extension, "")

/** The last segment without the extension of a Markdown file. */
export const stemOf = (path: string): string => withoutExtension(path.slice(path.lastIndexOf("/") + 1))
