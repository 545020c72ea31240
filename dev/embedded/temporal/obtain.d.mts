export function obtainTemporal(env: Record<string, string | undefined>): Promise<string>;
