/** Separates the characters of a token for a model's tokenizer; a reader does not see it. */
const joiner = "\u2060"

/** Special tokens of chat templates: ChatML, Llama, Mistral, Gemma, DeepSeek and their like. */
const specialToken =
  /<(?=[|\uff5c])|(?<=[|\uff5c])>|\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])|<(?=<\/?SYS>>)|<(?=\/?(?:s|bos|eos|pad|unk|start_of_turn|end_of_turn|think|tool_call|tool_response|function_calls|system|user|assistant|human|developer|instructions?)>)/giu

/** Names of roles where a turn would begin, also in a line of a JSON string. */
const roleAtLineStart =
  /((?:^|\\n)[ \t]{0,20})((?:#{1,6}[ \t]{0,4})?(?:system|user|assistant|human|developer|tool|instruction|response))(?=[ \t]{0,4}:)/gimu

/**
 * Returns text of others as it may stand in a prompt: what a model or its server could take for the end of a message
 * or the beginning of another is broken up by an invisible character. The visible text stays the same.
 */
export const withoutTemplateTokens = (text: string): string =>
  text
    .replace(specialToken, (token) => (token === ">" ? `${joiner}>` : `${token}${joiner}`))
    .replace(roleAtLineStart, `$1$2${joiner}`)

/** Returns text of a model without the characters that `withoutTemplateTokens` inserted into what it copies. */
export const withTemplateTokens = (text: string): string => text.replaceAll(joiner, "")
