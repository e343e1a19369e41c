/**
 * A run of more non-starters than any writing uses; half-width voicing marks become marks under the compatibility
 * forms.
 */
const longRun = /([\p{M}\uff9e\uff9f]{32})[\p{M}\uff9e\uff9f]+/gu

/**
 * Returns a Unicode normal form of a text. Runs of marks are cut at 32, near the limit of Unicode's Stream-Safe Text
 * Format (UAX #15), because normalising a run takes time in proportion to the square of its length. Idempotent.
 */
export const normalForm = (text: string, form: "NFC" | "NFD" | "NFKC" | "NFKD"): string =>
  text.length > 32 ? cut(cut(text).normalize(form)) : text.normalize(form)

/** One character may become several marks, so the result is cut as well. */
const cut = (text: string): string => text.replace(longRun, "$1")
