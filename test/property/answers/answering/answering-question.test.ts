import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readQuestion } from "../../../../core/language/questions/question.js"
import { AnchorField } from "../../../../core/language/text-analysis/anchors.js"
import { analyse } from "../../../../core/language/tokenization/index.js"

const read = (text: string) => readQuestion(text, analyse)

describe("readQuestion", () => {
  it.each([
    ["How many users does Orlin have?", "en", "number"],
    ["When was Orlin launched?", "en", "date"],
    ["What was he doing when he fell?", "en", "other"],
    ["Who owns the archive?", "en", "person"],
    ["Where is the office?", "en", "place"],
    ["Why did it fail?", "en", "reason"],
    ["How do I restore a file?", "en", "procedure"],
    ["Does Orlin support offline mode?", "en", "yes-no"],
    ["What is Orlin?", "en", "definition"],
    ["What is the purpose of EIP-4844?", "en", "definition"],
    ["What is the price of a licence?", "en", "number"],
    ["Wie viele Urlaubstage haben wir?", "de", "number"],
    ["Wann beginnt die Probezeit?", "de", "date"],
    ["Wer ist für den Einkauf zuständig?", "de", "person"],
    ["Combien de jours de congés avons-nous ?", "fr", "number"],
    ["Qu'est-ce que le projet Merrow ?", "fr", "definition"],
    ["¿Cuándo empieza el proyecto?", "es", "date"],
    ["会議はいつですか", "cjk", "date"],
    ["年假有多少天？", "cjk", "number"],
    ["Orlinとは何ですか", "cjk", "definition"],
    // "Was" is no English "was".
    ["Was passiert nach dem Ausfall?", "de", "other"],
    ["Which company provides the salary data?", "en", "other"],
    ["What is the current room rate?", "en", "number"],
    ["What does the licence cost?", "en", "number"],
    ["What happens when the build fails?", "en", "other"],
    ["What rooms are free?", "en", "list"],
    ["Um wie viel Uhr schließt das Tor?", "de", "date"],
    ["À quelle heure ferme le dépôt ?", "fr", "date"],
    ["À quelle fréquence vidange-t-on la cuve ?", "fr", "number"],
    ["Сколько дней длится отпуск?", "ru", "number"],
    ["Как часто меняют фильтр?", "ru", "number"],
    ["Когда закрывается склад?", "ru", "date"],
    ["В какое время приходит автобус?", "ru", "date"],
    ["Кто отвечает за закупки?", "ru", "person"],
    ["Где хранится печать?", "ru", "place"],
    ["Почему остановился насос?", "ru", "reason"],
    ["Как восстановить файл?", "ru", "procedure"],
    ["Можно ли курить во дворе?", "ru", "yes-no"],
    ["Что такое Орлин?", "ru", "definition"],
    ["冷却液多久更换一次？", "cjk", "number"],
    ["班车几点发车？", "cjk", "date"],
    ["研修は何時間ありますか", "cjk", "number"],
    ["フィルターはどのくらいの頻度で交換しますか", "cjk", "number"]
  ])("%s", (text, language, answerType) => {
    const question = read(text)
    expect([question.language, question.answerType]).toEqual([language, answerType])
  })

  it("finds a code or a name that no space parts from other letters", () => {
    const anchors = (text: string) => read(text).anchors.map(({ kind, text: said }) => `${kind}:${said}`)
    expect(anchors("KX20的冷却液多久更换一次？")).toEqual(["code:KX20"])
    expect(anchors("社外からOrlin Gateにつなぐには")).toEqual(["name:Orlin Gate"])
    const [anchor] = read("KX20の最大荷重は").anchors
    const holds = (text: string) => anchor !== undefined && new AnchorField(text).has(anchor)
    expect([holds("定格はKX20の100トンです"), holds("定格はKX200の100トンです")]).toEqual([true, false])
  })

  it("finds what an answer must be about", () => {
    const anchors = (text: string) => read(text).anchors.map(({ kind, text: said }) => `${kind}:${said}`)
    expect(anchors('What does "safe mode" of KX-2041 do?')).toEqual(["phrase:safe mode", "code:KX-2041"])
    expect(anchors("What does EIP 1559 change?")).toEqual(["code:EIP 1559"])
    expect(anchors("Did King Charles III visit Veck Sound in May 2022?")).toEqual([
      "value:May 2022",
      "name:King Charles III",
      "name:Veck Sound"
    ])
    expect(anchors("Does Kubernetes 1.29 need version 3.0 for 2.5 GB, or 4.1 million, on 1.10.2?")).toEqual([
      "value:2.5 GB",
      "code:1.10.2",
      "name:Kubernetes",
      "phrase:1.29",
      "phrase:3.0"
    ])
    expect(anchors("Wie hoch ist das Anzugsmoment der Schrauben?")).toEqual([])
    expect(anchors("Wer leitet das Werk Bremerhaven?")).toEqual(["name:Werk Bremerhaven"])
  })

  it("knows what is asked of the subject", () => {
    expect(read("What is Orlin?").subject).toBe("Orlin")
    expect(read("What gas does EIP-1559 burn?").terms.map(({ term }) => term)).toEqual(["ga", "burn"])
  })

  it("tells what asks the same of several things from what asks one thing", () => {
    const parts = (text: string) => read(text).parts.map((part) => part.text)
    expect(parts("What is the mass of the KT-15 rotor and of the KT-22 in air?")).toEqual([
      "What is the mass of the KT-15 rotor in air?",
      "What is the mass of the KT-22 in air?"
    ])
    expect(parts("Which fees do EIP-1, EIP-2 and EIP-3 change?")).toEqual([
      "Which fees do EIP-1 change?",
      "Which fees do EIP-2 change?",
      "Which fees do EIP-3 change?"
    ])
    expect(parts("How deep is it at Veck Sound and at Port Kelder?")).toHaveLength(2)
    for (const one of [
      "What is the difference between EIP-1 and EIP-2?",
      "Who wrote Romeo and Juliet?",
      "Was Charleston, South Carolina founded in May 1670?",
      "What is the mass of the KT-15?"
    ])
      expect(parts(one)).toEqual([])
  })

  it.each([
    ["What does it change, and why?", false],
    ["Was kostet das?", false],
    ["What does EIP-1 change?", true],
    ["What did this agreement do?", true],
    ["Why is it that the pumps stop?", true]
  ])("%s names its subject: %s", (text, hasSubject) => {
    expect(read(text).hasSubject).toBe(hasSubject)
  })

  it("takes any text, and gives the same for the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 4000 }), (text) => {
        expect(read(text)).toEqual(read(text))
        expect(read(text).text).toBe(read(read(text).text).text)
      })
    )
  })

  it.each([
    "A ".repeat(2000),
    "what is ".repeat(500),
    '"a'.repeat(2000),
    "1 ".repeat(2000),
    "Aa ".repeat(1300),
    "a-1".repeat(1300)
  ])("is done with a long question", (text) => {
    expect(read(text.slice(0, 4000)).text.length).toBeGreaterThan(0)
  })
})
