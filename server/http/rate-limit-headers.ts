import type { Response } from 'express';

/** A limit as the headers tell it: what it allows, and what is left of it. */
interface ToldLimit {
  readonly policy: string;
  readonly left: string;
}

/** Adds a limit to the headers that tell all of them (docs/product/requests.md#rate-limits). */
export function tellLimit(response: Response, { policy, left }: ToldLimit): void {
  for (const [name, item] of [
    ['RateLimit-Policy', policy],
    ['RateLimit', left],
  ] as const) {
    const told = response.getHeader(name);
    response.setHeader(name, told === undefined ? item : `${told}, ${item}`);
  }
}
