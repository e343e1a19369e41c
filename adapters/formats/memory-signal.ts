/** How a process ends itself that takes too much memory; others who kill it use another signal. */
export const memorySignal = process.platform === "win32" ? "SIGKILL" : "SIGUSR2"
