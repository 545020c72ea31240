import { generalCodes } from '../../contract/error-routes.ts';
import type { ClientRoute } from './openapi.ts';

/** The codes that are particular to a route: without those that any may answer. */
export const particularCodes = ({ codes }: ClientRoute): string[] => {
  const general: readonly string[] = generalCodes;
  return codes.filter((code) => !general.includes(code));
};

const union = (codes: readonly string[], indent: string): string =>
  codes.map((code) => `\n${indent}| '${code}'`).join('') || ' never';

/** The codes as types; `banner` goes ahead of them. */
export function errorCodesFile(banner: string, routes: readonly ClientRoute[]): string {
  const particular = routes.map((route) => `  '${route.id}':${union(particularCodes(route), '    ')};\n`);
  return `${banner}
/** Codes that any call may answer: of its key, its pace, its form and its Idempotency-Key, and faults of the service. */
export type GeneralErrorCode =${union(generalCodes, '  ')};

/** Codes that each route may answer beside those. */
export interface RouteErrorCodes {
${particular.join('')}}
`;
}
