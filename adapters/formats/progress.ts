/** Says to the parent process that a page of many is next, so that its time limit counts for each page. */
export const reportProgress = (page: number, of: number): void => {
  process.send?.({ outcome: { page, of }, memoryBytes: process.memoryUsage.rss() })
}
