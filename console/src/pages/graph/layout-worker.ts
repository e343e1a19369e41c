import { type LayoutRequest, settle } from "../../../../react/graph-settle.js"

/** Version of the graph that was asked for last; an older layout is given up. */
let wanted = -1

addEventListener("message", ({ data }: MessageEvent<LayoutRequest>) => {
  wanted = data.version
  void settle(
    data,
    () => wanted === data.version,
    (reply) => postMessage(reply)
  )
})
