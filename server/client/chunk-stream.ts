/** A generator as a web stream: each read runs it to its next chunk, and cancelling the stream ends it. */
export const chunkStream = <Chunk>(chunks: AsyncGenerator<Chunk, undefined>): ReadableStream<Chunk> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await chunks.return(undefined)
    }
  })
