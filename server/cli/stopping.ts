/** Whether a signal ends a command well: that of a server, which has no other end. Set by the command itself. */
export const stopping = { isDone: false }
