import type { UnspacedWords } from "./words-en.js"

/** Words of Japanese: see `en`. */
export const ja: UnspacedWords = {
  past: "当時|でした|だった|ていた|ました",
  present: "です|である|ています",
  now: "今は",
  denying: "除く",
  purpose: "ために",
  placed: "に|で",
  frequency: "ごと|おき|常時",
  howOften: "頻度"
}
