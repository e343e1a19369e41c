import type { RelationId, UserId } from "./ids.js"
import { timestampOf } from "./time.js"

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
/** The first 48 bits of an id, behind two that are 0, in digits of five. */
const timeDigits = 10
/** What a timestamp can tell, of four digits for the year. */
const millisMax = 253_402_300_799_999

/**
 * When an id was made, to the millisecond; null of one that was not made of a moment. Ids are TypeIDs over UUIDv7 (RFC
 * 9562), which begins with the moment, and its version after that.
 */
export const momentOfId = (id: RelationId | UserId): string | null => {
  const suffix = id.slice(id.indexOf("_") + 1)
  if (digits.indexOf(suffix.charAt(timeDigits)) >> 1 !== 7) return null
  const millis = [...suffix.slice(0, timeDigits)].reduce(
    (value, digit) => value * digits.length + digits.indexOf(digit),
    0
  )
  return millis > millisMax ? null : timestampOf(millis)
}
