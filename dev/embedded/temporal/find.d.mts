export const TEMPORAL_VERSION: string;
export function cacheFolder(env: Record<string, string | undefined>): string;
export function cachedTemporal(env: Record<string, string | undefined>): string;
export function findTemporal(env: Record<string, string | undefined>): string | null;
