/** Whether the name ends in `.md`, in any case. */
export const isMarkdown = (path: string): boolean => /\.md$/i.test(path)

/** The last segment without `.md`. */
export const stemOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "")
