import { explainAnswer } from "../core/extractive/index.js"
import { evidenceOf, pageOf } from "../test/support/answers.js"

const show = (q: string, pages: any[]) => {
  const x = explainAnswer(evidenceOf(q, pages))
  console.log(
    q,
    x?.probability.toFixed(2),
    "|",
    x?.best.text,
    x?.best.score.toFixed(1),
    "||",
    x?.runnerUp?.text,
    x?.runnerUp?.score.toFixed(1),
    "|",
    x?.strongest.map((s) => `${s.effect.toFixed(1)} ${s.feature}`).join("; ")
  )
}
const faq = pageOf(
  "Lumo",
  "# Lumo\n\n## How do I reset the Lumo?\n\nHold the button for ten seconds.\n\n## Do you ship to Iceland?\n\nYes, within two weeks.\n\n**Will it speak Danish?** Not before the summer."
)
for (const q of [
  "How do I reset the Lumo?",
  "Do you ship to Iceland?",
  "Will the Lumo speak Danish?",
  "Who resets the Lumo?"
])
  show(q, [faq])
const k = pageOf(
  "Drones",
  "# Drones\n\nThe Falcon weighs 12 kg. It is waterproof.\n\nThe Kestrel weighs 4 kg.\n\nThe archive keeps invoices for 10 years."
)
for (const q of [
  "How heavy is the Kestrel?",
  "How long does the archive keep invoices?",
  "Who owns the Falcon?",
  "When was the Falcon launched?"
])
  show(q, [k])
const o = pageOf(
  "Orlin",
  "Orlin is the archive service. It was launched on 4 March 2021. It is owned by the platform team."
)
for (const q of ["When was Orlin launched?", "Who owns Orlin?", "What is Orlin?", "Where is Orlin hosted?"])
  show(q, [o, k])
