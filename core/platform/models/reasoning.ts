/** Tags in which models write what they think before they answer; the closing tag is the same with a slash. */
const tags = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|seed:think"

/** Code, in which a tag is text; else an opening or a closing tag. */
const pieces = new RegExp(
  [
    "```[^`]{0,20000}(?:```|$)|`[^`\\n]{1,400}`",
    `(?<opening><(?:${tags})(?: [^<>]{0,200})?>|◁think▷|\\[THINK\\])`,
    `(?<closing></(?:${tags})>|◁/think▷|\\[/THINK\\])`
  ].join("|"),
  "giu"
)

/** The channels of the Harmony format; only the text of the channel `final` is an answer. */
const finalChannel = /<\|channel\|>final[^<]{0,80}<\|message\|>/giu
const channelToken = /<\|(?:start|end|return|call|channel|message|constrain)\|>/giu

/**
 * Returns a reply without the parts in which the model thinks. A reply that closes a tag which it never opened was
 * begun inside of it by the chat template. An opening tag without its end hides the rest where the reply begins with
 * it, or is not complete; elsewhere it is text, as is a tag in code.
 *
 * @param isPart The reply was cut off, or more of it is to come.
 */
export const withoutReasoning = (reply: string, isPart: boolean): string => {
  if (!/[<◁[]/u.test(reply)) return reply
  const text = withoutChannels(reply)
  let shown = ""
  let from = 0
  let opened: number | null = null
  for (const { 0: found, groups, index } of text.matchAll(pieces)) {
    if (groups?.["opening"] !== undefined && opened === null) {
      shown += text.slice(from, index)
      opened = index
    } else if (groups?.["closing"] !== undefined) {
      if (opened === null) shown = ""
      opened = null
      from = index + found.length
    }
  }
  const isHidden = opened !== null && (isPart || shown.trim() === "")
  const rest = isHidden ? "" : text.slice(opened ?? from)
  // A tag that has come in part may become one: it is held back.
  const whole = isPart ? (shown + rest).replace(/[<◁][a-z:/▷]{0,12}$/iu, "") : shown + rest
  return whole === reply ? reply : whole.replace(/^\s+/u, "")
}

const withoutChannels = (reply: string): string => {
  if (!/<\|(?:channel|message)\|>/iu.test(reply)) return reply
  const last = [...reply.matchAll(finalChannel)].at(-1)
  return last === undefined ? "" : reply.slice(last.index + last[0].length).replace(channelToken, "")
}
