import { caseFoldingExceptions } from "./case-folding.js"
import { normalForm } from "./normal-form.js"

/**
 * Full Unicode case folding (CaseFolding.txt, statuses C and F), character by character: unlike
 * `toLowerCase` it does not look at neighbours, so a final sigma folds like any other and ß like ss.
 */
export const foldCase = (text: string): string => {
  // Lower-casing pure ASCII equals folding it; nearly all text takes this path.
  if (isAscii(text)) return text.toLowerCase()
  let folded = ""
  for (const char of text) folded += caseFoldingExceptions.get(char) ?? char.toLowerCase()
  return folded
}

/**
 * Returns the form in which names and aliases are compared: NFKC, case-folded, inner white space as one blank,
 * trimmed. Idempotent. An empty result means that the name has nothing to compare.
 */
export const nameNorm = (name: string): string =>
  normalForm(foldCase(normalForm(name, "NFKC")), "NFKC")
    .replace(/\s+/gu, " ")
    .trim()

const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  return true
}
