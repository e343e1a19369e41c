import type { LayoutRequest } from "../../../../react/graph-layout.js"
import { settle } from "../../../../react/graph-settle.js"

let wanted = -1

addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  wanted = data.version
  void settle(
    data,
    () => wanted === data.version,
    (reply) => postMessage(reply)
  )
})
