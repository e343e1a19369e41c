import { answerSets, askSet } from "./answer-sets.js"
const only = (process.env.KANON_ANSWER_SETS ?? "").split(",")
for (const set of answerSets()) {
  if (!only.includes(set.name)) continue
  await askSet(set, ({ answered, confidence, question, right, traced }) => {
    if (right && (answered || question.answerable !== true)) return
    const b = traced.trace.explanation.best
    console.log(`${set.name} ${question.answerable} ${confidence.toFixed(2)} ${traced.answer.policy.verdict} ${traced.answer.policy.reasons.join()} | ${question.text} => ${traced.answer.claims.map((c) => c.text).join(" / ").slice(0, 200)}\n      best: ${b?.best.text?.slice(0, 160)} || ${b?.strongest.map((s) => `${s.effect.toFixed(1)} ${s.feature}`).join("; ")}`)
  })
}
