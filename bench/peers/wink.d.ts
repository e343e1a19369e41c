declare module "wink-bm25-text-search" {
  interface Engine {
    defineConfig(config: { readonly fldWeights: Readonly<Record<string, number>> }): boolean
    definePrepTasks(tasks: ReadonlyArray<unknown>): number
    addDoc(document: Readonly<Record<string, string>>, id: number): number
    consolidate(): boolean
    search(query: string, limit: number): ReadonlyArray<readonly [id: string, score: number]>
  }
  const makeEngine: () => Engine
  export default makeEngine
}

declare module "wink-nlp-utils" {
  const utils: {
    readonly string: { readonly lowerCase: unknown; readonly tokenize0: unknown }
    readonly tokens: {
      readonly removeWords: unknown
      readonly stem: unknown
      readonly propagateNegations: unknown
    }
  }
  export default utils
}
