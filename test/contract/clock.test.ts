import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import { clockContract } from "./clock.js"

clockContract("the host's", () => Layer.empty)
clockContract("one that is set", () => Layer.setClock(Clock.make()))
