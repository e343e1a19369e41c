import { hostIds } from "../../adapters/host/ids.js"
import { idsContract } from "./ids.js"

idsContract("the host", () => hostIds)
