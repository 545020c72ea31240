import type { Method } from '../acquirer/port.ts';
import { liveCards } from './card/method.ts';
import type { LiveMethod } from './method.ts';
import { livePix } from './pix/method.ts';

/** What moves the live money of each method; null: nothing does. */
export const liveMethods: { [M in Method]: LiveMethod<M> | null } = {
  pix: livePix,
  card: liveCards,
};

// The keys of a literal are exactly its declared keys; Object.keys forgets that.
export const methods = Object.keys(liveMethods) as Method[];

export function liveMethod(method: Method): LiveMethod {
  const found = liveMethods[method];
  if (found === null) throw new Error(`no acquirer moves live money by ${method}`);
  return found;
}
