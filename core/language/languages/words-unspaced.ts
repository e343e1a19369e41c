import type { UnspacedWords } from "./words-en.js"

/** Words of Chinese: see `en`. */
export const zh: UnspacedWords = {
  past: "以前|曾经|曾經|原来|原來",
  now: "现在|現在|目前",
  ended: "以前|曾经|曾經",
  placed: "[在里裡]",
  frequency: "[每毎]|随时",
  howOften: "多久.{0,8}一次"
}

/** Words of Japanese: see `en`. */
export const ja: UnspacedWords = {
  past: "当時|でした|だった|ていた|ました",
  present: "です|である|ています",
  now: "今は",
  placed: "に|で",
  frequency: "ごと|おき|常時",
  howOften: "頻度"
}
