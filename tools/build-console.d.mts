/** Fills `folder` with the console. */
export declare const buildConsole: (folder: string) => Promise<void>
/** Everything that decides what the console's files are. */
export declare const consoleSources: ReadonlyArray<string>
