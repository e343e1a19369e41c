import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Engine } from "../../../../adapters/sqlite/index.js"
import { createEngine } from "../../../support/database.js"
import { temporaryFolder } from "../../../support/folders.js"

/** Pages of one company in each language: near one another, so that a wrong page is at hand. */
const pages = {
  "de/auto.md": "# Fuhrpark\n\nWinterreifen werden im Oktober aufgezogen. Ein Schaden ist sofort zu melden.",
  "de/konto.md":
    "# Konten\n\nEin Kennwort hat vierzehn Zeichen. Nach fünf Fehlversuchen wird das Konto für eine halbe Stunde gesperrt.",
  "de/krank.md": "# Krankmeldung\n\nAb dem vierten Krankheitstag muss ein ärztliches Attest vorliegen.",
  "de/drucker.md":
    "# Drucker\n\nPapierstau wird über die linke Klappe beseitigt. Der Toner liegt im Schrank.",
  "de/lager.md":
    "# Lager\n\nDie Inventur findet in der letzten Dezemberwoche statt. Gefahrstoffe stehen im Schrank.",
  "fr/conges.md":
    "# Congés\n\nChaque salarié dispose de vingt-cinq jours ouvrés de congés payés par an. Un mariage donne droit à quatre jours.",
  "fr/recette.md": "# Ratatouille\n\nCouper les aubergines en dés. Laisser mijoter une heure à feu doux.",
  "es/horno.md":
    "# Horno H-20\n\nEl horno alcanza 280 grados en doce minutos. La puerta se abre hacia la izquierda. La garantía dura tres años desde la compra. No use limpiadores con cloro.",
  "ru/avto.md": "# Служебные машины\n\nШтрафы оплачивает водитель. Зимняя резина ставится в октябре.",
  "ru/stanok.md":
    "# Станок С15\n\nСтанок обрабатывает детали диаметром до 320 миллиметров. Масло меняют каждые 800 часов.",
  "ru/dostavka.md":
    "# Доставка\n\nПосылки отправляются ежедневно в 17:00. Покупатель может вернуть товар в течение двух недель.",
  "ru/dogovory.md":
    "# Договоры\n\nРамочный договор заключается на два года. Оригиналы хранятся в юридическом отделе.",
  "ja/press.md":
    "# プレス機P10\n\nP10の最大荷重は100トンです。作動油は2000時間ごとに交換します。パッキンは二年ごとに取り替えます。",
  "ja/yasumi.md":
    "# 休暇の規定\n\n年間20日の有給休暇が与えられます。結婚の際は五日間、引っ越しの際は一日の特別休暇があります。",
  "zh/jichuang.md":
    "# 机床X20\n\nX20可加工最大直径三百二十毫米的零件。冷却液每五百小时更换一次。导轨每周润滑一次。",
  "zh/lizhi.md": "# 离职手续\n\n员工辞职须提前三十天递交书面申请。离职证明在五个工作日内开具。",
  "zh/hongshaorou.md": "# 红烧肉的做法\n\n五花肉切成方块。加入酱油和八角，小火炖一小时，最后大火收汁。"
}

describe("questions in the languages of the pages", () => {
  const vault = temporaryFolder("asked")
  let engine: Engine
  beforeAll(async () => {
    for (const [path, text] of Object.entries(pages)) {
      mkdirSync(join(vault, path.slice(0, 2)), { recursive: true })
      writeFileSync(join(vault, path), text)
    }
    engine = await createEngine({ vault, data: ":memory:" })
    await engine.ingest()
  })
  afterAll(() => engine.close())

  it.each([
    ["Was passiert nach fünf Fehlversuchen?", "gesperrt", "de/konto.md"],
    ["Wann ist die Inventur?", "letzten Dezemberwoche", "de/lager.md"],
    ["Wann werden die Winterreifen montiert?", "im Oktober", "de/auto.md"],
    ["Ab wann brauche ich ein Attest vom Arzt?", "vierten Krankheitstag", "de/krank.md"],
    ["Wie behebe ich einen Papierstau?", "linke Klappe", "de/drucker.md"],
    ["Combien de jours de congés payés ai-je par an ?", "vingt-cinq jours", "fr/conges.md"],
    ["Combien de temps la ratatouille doit-elle mijoter ?", "une heure", "fr/recette.md"],
    ["¿Cuánto tarda el horno en alcanzar 280 grados?", "doce minutos", "es/horno.md"],
    ["¿Cuánto dura la garantía?", "tres años", "es/horno.md"],
    ["¿Hacia dónde se abre la puerta?", "hacia la izquierda", "es/horno.md"],
    ["¿Puedo usar limpiadores con cloro?", "No use limpiadores", "es/horno.md"],
    ["Кто платит штрафы?", "водитель", "ru/avto.md"],
    ["Как часто нужно менять масло в станке С15?", "800 часов", "ru/stanok.md"],
    ["В какое время отправляют посылки?", "17:00", "ru/dostavka.md"],
    ["P10の作動油はどのくらいの頻度で交換しますか？", "2000時間", "ja/press.md"],
    ["X20的冷却液多久更换一次？", "五百小时", "zh/jichuang.md"],
    ["离职要提前多少天申请？", "三十天", "zh/lizhi.md"],
    ["红烧肉要炖多久？", "一小时", "zh/hongshaorou.md"]
  ])("%s", async (question, wanted, path) => {
    const { claims, sources } = await engine.ask(question)
    const [first] = claims
    expect(first?.text).toContain(wanted)
    expect(sources.find(({ id }) => id === first?.citations[0])?.docPath).toBe(path)
  })

  it.each([
    ["¿Cuánto cuesta el horno?", /^Los documentos no contienen/u],
    ["Сколько весит станок С15?", /^В документах нет ответа на этот вопрос\./u],
    ["引っ越しの費用はいくらですか？", /^文書にはこの質問への答えがありません。/u],
    ["X20有多重？", /^文档中没有这个问题的答案。/u],
    ["X99的冷却液多久更换一次？", /^文档中没有这个问题的答案。/u]
  ])("%s is not answered, in its own language", async (question, said) => {
    const { answer, claims } = await engine.ask(question)
    expect(claims).toEqual([])
    expect(answer).toMatch(said)
  })
})
