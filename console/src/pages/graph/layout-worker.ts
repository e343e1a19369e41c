import { type LayoutRequest, settle } from "../../../../react/graph-settle.js"

let wanted = -1

addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  wanted = data.version
  void settle(
    data,
    () => wanted === data.version,
    (reply) => postMessage(reply)
  )
})
