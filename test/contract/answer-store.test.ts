import { baseLayer } from "../support/run.js"
import { answerStoreContract } from "./answer-store.js"

answerStoreContract("SQLite", () => baseLayer())
