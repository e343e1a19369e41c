import { describe, expect, it } from "vitest"
import { isSmallTalk } from "../../../core/language/questions/index.js"

describe("words without a question", () => {
  it.each([
    "hello",
    "Hi there!",
    "thanks a lot",
    "Vielen Dank.",
    "What can you do?",
    "你好",
    "Hello, thanks!"
  ])("%s is small talk", (text) => expect(isSmallTalk(text)).toBe(true))
  it.each([
    "Hi, where is the workshop?",
    "Who can help with a tyre?",
    "Thanks to whom was it built?",
    "ok flag"
  ])("%s is a question", (text) => expect(isSmallTalk(text)).toBe(false))
})
