/** What a work comes to, or after so long what is said in its place, which may be thrown; the work itself goes on. */
export function settledWithin<T>(ms: number, work: Promise<T>, orElse: () => T): Promise<T> {
  const { promise: isLate, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return Promise.race([work, isLate.then(orElse)]).finally(() => clearTimeout(timer));
}
