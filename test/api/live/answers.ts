/** Whether an acquirer answered and nobody learns what happened. */
export const isUnknown = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && 'known' in answer && answer.known === false;

/** An acquirer whose calls are made by `make`; what it reads of a notice is no call. */
export const withCalls = <A extends object>(acquirer: A, make: (call: () => Promise<unknown>) => Promise<unknown>): A =>
  new Proxy(acquirer, {
    get(of, name) {
      const value: unknown = Reflect.get(of, name);
      if (typeof value !== 'function' || name === 'receive') return value;
      return (...given: unknown[]) => make(async () => value.apply(of, given));
    },
  });
