/** The same value each time, made when it is first asked for: what takes its time to make is made only where it is used. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
