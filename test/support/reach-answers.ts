import { type Call, DocId, Docs, idOf } from "./reach-calls.js"

/** Questions that the gate judges in every way: sources that disagree or are out of date, names, and nothing at all. */
export const judge = async (call: Call) => {
  const write = async (title: string, text: string) =>
    DocId.parse(await call("createDocument", { title, content: `# ${title}\n\n${text}\n` })).docId
  const one = await write(
    "Pump P-17",
    "The pump P-17 weighs 40 kg. The pump P-17 entered service on 3 May 2021. The pump P-17 is allowed outdoors. The pump P-17 is enabled."
  )
  const other = await write(
    "Pump P-17 in the field",
    "The pump P-17 weighs 55 kg. The pump P-17 entered service on 9 June 2022. The pump P-17 is not allowed outdoors. The pump P-17 is disabled."
  )
  const ask = (question: string, policyMode: string) => call("query", { question, policyMode })
  const asked = [
    "How much does the pump P-17 weigh?",
    "When did the pump P-17 enter service?",
    "Is the pump P-17 allowed outdoors?",
    "Is the pump P-17 enabled?"
  ]
  for (const question of asked) await ask(question, "shadow")
  for (const verification of ["verified", "deprecated"])
    await call("verifyDocument", { id: one, verification }).then(() => ask(asked[0] ?? "", "enforce"))
  await call("deleteDocument", { id: other })
  await ask(asked[0] ?? "", "enforce")
  for (const question of ["What is it?", "What is the torque of the KX-99812?"])
    await ask(question, "enforce")
  await reserve(call, write, ask)
  for (const mode of ["off", "shadow", "enforce"]) await call("listPolicyDecisions", { mode })
  for (const verdict of ["answer", "answer_with_caveats", "clarify", "abstain_with_pointers"]) {
    const { items } = Docs.parse(await call("listPolicyDecisions", { verdict }))
    for (const { id } of items) await call("getPolicyDecision", { id })
  }
}

/** Answers with each of the reservations that no other answer has, and one that is given again. */
const reserve = async (
  call: Call,
  write: (title: string, text: string) => Promise<string>,
  ask: (question: string, policyMode: string) => Promise<unknown>
) => {
  const boat = async (name: string) => idOf(await call("createEntity", { name, type: "boat" }))
  await write("Zephyr", "The boat Zephyr carries 12 people. The Zephyr is enabled.")
  await write("Zephyr in the field", "The boat Zephyr carries 12 people and is not enabled.")
  const verified = await write("Mistral", "The boat Mistral carries 14 people.")
  await call("verifyDocument", { id: verified, verification: "verified" })
  const [zephyr, mistral] = [await boat("Zephyr"), await boat("Mistral")]
  // A reservation of entities stands beside every answer about them; the machine's are those that nobody made.
  await ask("When did Charles Babbage build an engine?", "shadow")
  await call("updateWorkspace", { cacheMode: "on" })
  await write("Pump Q-9", "The pump Q-9 weighs 40 kg.")
  for (const _ of ["written", "given again"]) await ask("How much does the pump Q-9 weigh?", "shadow")
  await call("updateWorkspace", { cacheMode: "shadow" })
  await ask("How much does the pump Q-9 weigh?", "shadow")
  // The calibration that the sequence fitted gives no confidence.
  await call("updateWorkspace", { policy: { thresholds: { floor: 0, confidence: 0.99 } } })
  await call("deprecateEntity", { id: zephyr, supersededBy: mistral })
  await ask("How many people does the boat Zephyr carry?", "shadow")
  await call("deprecateEntity", { id: mistral })
  await ask("How many people does the boat Mistral carry?", "shadow")
  const said = async (title: string, text: string, other: string) => {
    const docIds = [await write(title, text), await write(`${title} elsewhere`, other)]
    await call("checkGrounding", {
      text: `${text} The moon is made of green cheese.`,
      docIds,
      policyMode: "shadow"
    })
  }
  await said(
    "Access",
    "Guest access to the archive is allowed.",
    "Guest access to the archive is not allowed."
  )
  await said("Backup", "The backup pump Kestrel is enabled.", "The backup pump Kestrel is disabled.")
}
