/**
 * For tests of agents and of the tools that products register: a clock that is moved by hand, random numbers of a seed,
 * processes that crash and pause where the seed says, and a scripted model.
 */
export {
  type ScriptedAgentModel,
  type ScriptedTurn,
  scriptedAgentModel
} from "../../adapters/models/scripted.js"
export { calm, type Hazards, makeProcess, type SimulatedProcess } from "./processes.js"
export { type Random, randomOf } from "./random.js"
export { makeVirtualClock, type VirtualClock } from "./virtual-clock.js"
