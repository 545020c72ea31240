import { codesOf, generalCodes } from '../../contract/error-routes.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { contract } from '../../contract/index.ts';

type Declared = Parameters<typeof codesOf>[1];

const isRoute = (part: object): part is Declared => 'path' in part && 'responses' in part;

/** Every route of the contract by its dotted name. */
export function routesOf(router: object = contract, prefix = ''): [id: string, route: Declared][] {
  return Object.entries(router).flatMap(([name, part]: [string, object]) =>
    isRoute(part) ? [[prefix + name, part]] : routesOf(part, `${prefix}${name}.`),
  );
}

/** The codes of each route, but for those that any route may answer. */
export const particularCodes = (): [id: string, codes: ErrorCode[]][] =>
  routesOf().map(([id, route]) => [id, codesOf(id, route).filter((code) => !generalCodes.includes(code))]);

const union = (codes: readonly ErrorCode[]): string => codes.map((code) => `\n    | '${code}'`).join('') || ' never';

/** The codes as types; `banner` goes ahead of them. */
export function errorCodesFile(banner: string): string {
  const routes = particularCodes().map(([id, codes]) => `  '${id}':${union(codes)};\n`);
  return `${banner}
/** Codes that any call may answer: of its key, its pace, its form and its Idempotency-Key, and faults of the service. */
export type GeneralErrorCode =${union(generalCodes).replaceAll('\n    ', '\n  ')};

/** Codes that each route may answer beside those. */
export interface RouteErrorCodes {
${routes.join('')}}
`;
}
