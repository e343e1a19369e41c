/** A moment as databases without zones write it, in UTC: without milliseconds where it has none. */
export const utcText = (text: string): string => {
  const iso = new Date(text).toISOString()
  return iso.slice(0, iso.endsWith(".000Z") ? 19 : 23).replace("T", " ")
}
