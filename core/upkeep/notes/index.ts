/** Notes that assistants write down: compared with what stands there, owned, with an end, and forgotten again. */
export { NewNote, Note, Remembered } from "./model.js"
export { forget, forgetExpiredNotes, recall, remember } from "./service.js"
